import WireBase

/// Content from the command line: declared here, done by the runner's program.
enum ContentCommands {
    static let content = Command(
        name: "content",
        summary: "Search, change and sync the content of the server.",
        subcommands: [modules, search, get, create, update, delete, batch, sync]
    )

    private static let offline = Command.Option(
        name: "offline",
        help: "Only what is stored; nothing leaves this machine."
    )
    private static let locale = Command.Option(
        name: "locale",
        value: "language",
        help: "The language, such as en-US. (default: as the file says)"
    )
    private static let paging: [Command.Option] = [
        .init(name: "page", value: "number", help: "Which page. (default: 1)"),
        .init(name: "limit", value: "number", help: "How many a page has. (default: as the file says)"),
        .init(name: "all", help: "Everything on one page."),
    ]
    private static let id = Command.Argument(name: "id", help: "The identifier the server gave the instance.")
    private static let values = Command.Argument(
        name: "values",
        help: "Its fields, a JSON object; without them, standard input.",
        isOptional: true
    )
    private static let name = Command.Option(name: "name", value: "name", help: "What the instance is called.")

    private static let modules = Command(
        name: "modules",
        summary: "List the modules of the server.",
        options: RunnerCommands.speaking + paging + [
            .init(name: "with-fields", help: "With the fields that their instances have."), offline,
        ],
        isRunners: true
    )

    private static let search = Command(
        name: "search",
        summary: "Search instances.",
        discussion: """
            --where says what must be so of the fields of an instance, --where-meta the same of what
            all instances have (name, createdAt, …):

              corewire content search --module news --where 'price > 10 and name like "a"'

            There are = != > < >= <= in !in like, and, or and parentheses; texts are in quotes.

            Exit status: 0 found or nothing found, 1 refused, 69 no runner answers.
            """,
        options: RunnerCommands.speaking + [
            .init(name: "module", value: "name", help: "Whose instances: its name in the file, or at the server."),
            .init(name: "where", value: "filter", help: "What must be so of their fields."),
            .init(name: "where-meta", value: "filter", help: "What must be so of what all instances have."),
            .init(name: "sort", value: "fields", help: "By what: name asc,createdAt desc."),
            .init(name: "fields", value: "names", help: "Only these of their fields, separated by commas."),
            .init(name: "include", value: "names", help: "Fields whose references come in full; 'all' for all."),
        ] + paging + [locale, offline],
        isRunners: true
    )

    private static let get = Command(
        name: "get",
        summary: "Print an instance as the server wrote it.",
        arguments: [id],
        options: RunnerCommands.speaking + [locale, offline],
        isRunners: true
    )

    private static let create = Command(
        name: "create",
        summary: "Make an instance at the server.",
        arguments: [
            .init(name: "module", help: "Its module: the name in the file, or at the server."), values,
        ],
        options: RunnerCommands.speaking + [name],
        isRunners: true
    )

    private static let update = Command(
        name: "update",
        summary: "Change an instance at the server: the fields given take the place of those it has.",
        arguments: [id, values],
        options: RunnerCommands.speaking + [
            name, .init(name: "module", value: "name", help: "The module it is moved to."),
        ],
        isRunners: true
    )

    private static let delete = Command(
        name: "remove",
        summary: "Remove an instance at the server.",
        arguments: [id],
        options: RunnerCommands.speaking,
        isRunners: true
    )

    private static let batch = Command(
        name: "batch",
        summary: "Make the changes that standard input lists, each for itself.",
        discussion: """
            Standard input is JSON: created, updated and createdOrUpdated list instances, deleted lists
            {"id": …}, truncated lists {"module": …}. What somebody else has changed is a conflict.

            Exit status: 0 all done, 1 refused or some not done, 69 no runner answers.
            """,
        options: RunnerCommands.speaking,
        isRunners: true
    )

    private static let sync = Command(
        name: "sync",
        summary: "Bring the modules that are kept here up to date.",
        discussion: """
            With --status nothing is loaded: it shows how the copies are, and how it went the last times.

            Exit status: 0 up to date, 1 not, 69 no runner answers.
            """,
        arguments: [.init(name: "module", help: "Only this one. (default: all)", isOptional: true)],
        options: RunnerCommands.speaking + [.init(name: "status", help: "Only show how the copies are.")],
        isRunners: true
    )
}
