// Names for ids, and words for Slack's errors.

const ERRORS = {
  not_in_channel: "You are not in this channel.",
  channel_not_found: "This channel does not exist for you.",
  is_archived: "This channel is archived.",
  unknown_command: "That is not a valid command.",
  no_text: "There is nothing to send.",
  msg_too_long: "This message is too long.",
  operation_timeout: "The app did not answer in time.",
  dispatch_failed: "The app is not connected.",
};

export function problem(code) {
  return ERRORS[code] ?? `Slack said: ${code}`;
}

export function naming(state) {
  const names = {
    person: (id) => state.info?.users.find((one) => one.id === id),
    user: (id) => names.person(id)?.profile.display_name,
    channel: (id) => state.info?.channels.find((one) => one.id === id)?.name,
    people: () => (state.info?.users ?? []).filter((one) => !one.is_bot && !one.deleted),
    places: () => (state.info?.channels ?? []).filter((one) => !one.is_im),
    outside: (user) => {
      const team = state.info?.other_teams.find((one) => one.id === user?.team_id);
      return team ? team.name : "";
    },
    // Message text as its author typed it.
    readable: (text) =>
      text
        .replace(/<@(\w+)>/g, (whole, id) => (names.user(id) ? `@${names.user(id)}` : whole))
        .replace(/<(https?:[^>|]+)(\|[^>]*)?>/g, "$1")
        .replace(/<!(\w+)>/g, "@$1")
        .replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&"),
  };
  return names;
}
