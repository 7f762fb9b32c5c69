// The playground's JSON API and its live feed.

export async function get(name, query = {}) {
  const url = new URL(`playground/${name}`, document.baseURI);
  for (const [key, value] of Object.entries(query)) if (value) url.searchParams.set(key, value);
  return (await fetch(url, { cache: "no-store" })).json();
}

export async function post(name, body) {
  const response = await fetch(new URL(`playground/${name}`, document.baseURI), {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return response.json();
}

// Calls `changed` with each notice, and `again` when the feed comes back after
// a break, since notices may have been missed.
export function follow(changed, again) {
  const source = new EventSource(new URL("playground/feed", document.baseURI));
  let opened = false;
  source.onopen = () => {
    if (opened) again();
    opened = true;
  };
  source.onmessage = (event) => changed(JSON.parse(event.data));
}
