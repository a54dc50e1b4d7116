import WireBase
import WireConfig

extension SourceTexts {
    var json: JSONValue {
        .members([
            "files": .array(
                files.map {
                    .members([
                        "name": .string($0.name), "text": .string(String(decoding: $0.text, as: UTF8.self)),
                    ])
                }
            ),
            "overrides": .array(overrides.map(JSONValue.string)),
            "environment": environment.map(JSONValue.string),
            "signatures": signatures.isEmpty
                ? nil
                : .object(
                    signatures.sorted { $0.key < $1.key }.map { ($0.key, .string(Base64.text(of: $0.value))) }
                ),
        ])
    }

    init?(_ json: JSONValue) {
        guard let files = json["files"]?.array, let overrides = json["overrides"]?.array else { return nil }
        self.init(
            files: files.compactMap { file in
                guard let name = file["name"]?.string, let text = file["text"]?.string else { return nil }
                return (name, Array(text.utf8))
            },
            overrides: overrides.compactMap(\.string),
            environment: json["environment"]?.string,
            signatures: Dictionary(
                (json["signatures"]?.members ?? []).compactMap { name, text in
                    text.string.flatMap(Base64.bytes(of:)).map { (name, $0) }
                },
                uniquingKeysWith: { $1 }
            )
        )
    }
}
