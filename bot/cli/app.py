"""The commands, gathered."""

import typer

from bot.cli import (
    asking,
    auditing,
    backups,
    evaluate,
    knowledge,
    operating,
    people,
    queueing,
    slack,
    sources,
    spent,
    tasks,
)

app = typer.Typer(
    name="footnote",
    help="Answers from your documents, and never says a thing it cannot quote.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)

app.command("demo")(slack.demo)
app.command("ask")(asking.ask)
app.command("resume")(asking.resume)
app.command("show")(tasks.show)
app.command("export")(tasks.export)
app.command("purge")(tasks.purge)
app.command("serve")(slack.serve)
app.command("work")(slack.work)
app.command("playground")(slack.playground)
app.command("migrate")(operating.migrate)
app.command("backup")(backups.backup)
app.command("restore")(backups.restore)
app.command("audit")(auditing.audit)
app.command("spent")(spent.spent)
app.command("deletions")(backups.deletions)
app.command("doctor")(operating.doctor)
app.command("eval")(evaluate.evaluate)
app.add_typer(sources.app, name="sources", help="What there is to read.")
app.add_typer(knowledge.app, name="knowledge", help="Reviewed internal knowledge.")
app.add_typer(queueing.app, name="tasks", help="What was asked, what waits, what failed.")
app.add_typer(people.people, name="people", help="Names for principals, and who they are.")
app.add_typer(people.tenants, name="tenants", help="Tenants and the Slack teams bound to them.")
