import WireBase
import WireConfig
import WireFormattingContract
import WireHTTP

/// `corewire format`: fills a template.
enum FormatCommands {
    static let format = Command.call(
        "format",
        FormattingCalls.fill,
        summary: "Fill a template with values.",
        discussion: """
            Fills a template as notifications do, in the language of the services file or another
            one. Values are name=text, or name:=json for JSON:
              corewire format '{{ due | date: long }}: {{ n | number }}' -v due=2027-03-01 -v n:=3

            Exit status: 0 filled, 1 failed.
            """,
        words: [
            "template": .argument("template", "Text with placeholders such as '{{ due | date: long }}'."),
            "value": .consumed(
                .init(
                    name: "value",
                    value: "name=text",
                    help: "The value of a placeholder; name:=json for JSON.",
                    letter: "v",
                    isRepeated: true
                )
            ),
            "locale": .option(value: "language", "The language, such as de-AT. (default: from the services file)"),
            "timeZone": .option(value: "name", "The time zone. (default: from the services file)"),
            "values": .hidden,
        ],
        prepare: { request, invocation in request.values = JSONMap(try invocation.all("value").map(value)) }
    ) { reply, _ in (reply.answer.text + "\n", .success) }

    private static func value(_ word: String) throws(Failure) -> (name: String, value: JSONValue) {
        guard let sign = word.firstIndex(of: "="), sign != word.startIndex else {
            throw Failure(message: "found \(word.quoted), expected name=text or name:=json", status: .usage)
        }
        let (name, text) = (word[..<sign], String(word[word.index(after: sign)...]))
        guard name.last == ":" else { return (String(name), .string(text)) }
        guard let value = try? JSONValue(parsing: Array(text.utf8), named: "value") else {
            throw Failure(message: "\(text.quoted) is not JSON", status: .usage)
        }
        return (String(name.dropLast()), value)
    }
}
