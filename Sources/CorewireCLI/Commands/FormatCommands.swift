/// `corewire format`: declared here, where help and completion are; the runner does it.
enum FormatCommands {
    static let format = Command(
        name: "format",
        summary: "Fill a template, as notifications are filled.",
        discussion: """
            Shows what a template comes to in the language of the file or another one. Values are
            name=text, or name:=json for anything but text:
              corewire format '{{ due | date: long }}: {{ n | number }}' -v due=2027-03-01 -v n:=3

            Exit status: 0 filled, 1 it cannot be, 69 no runner answers.
            """,
        arguments: [
            .init(name: "template", help: "Text with places such as '{{ due | date: long }}'.")
        ],
        options: RunnerCommands.speaking + [
            .init(
                name: "value",
                value: "name=text",
                help: "What places of the name are filled with; name:=json for anything but text.",
                letter: "v",
                isRepeated: true
            ),
            .init(name: "locale", value: "language", help: "The language, such as de-AT. (default: that of the file)"),
            .init(name: "time-zone", value: "name", help: "The time zone. (default: that of the file)"),
        ],
        isRunners: true
    )
}
