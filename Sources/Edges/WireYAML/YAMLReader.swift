import CYAML
package import WireBase
package import WireConfig

/// Reads YAML through libyaml's events. Scalars stay text: what they mean is decided by who asks for them.
package enum YAMLReader {
    /// Makes nodes of the text; throws at the first place where it stops being YAML.
    package static func read(_ builder: inout DocumentBuilder, _ source: SourceFile) throws(Unreadable) {
        var parser = YAMLParser(source)
        var documents = 0
        while true {
            let event = try parser.next()
            switch event.kind {
            case .documentStart:
                documents += 1
                if documents > 1 { throw Unreadable(severalDocuments(event, in: source)) }
            case .end:
                return
            case .mappingStart(let tag, let anchor), .sequenceStart(let tag, let anchor):
                refuse(tag, event, &builder)
                try builder.beginCollection(event.isMapping ? .mapping : .sequence, at: event.place.lowerBound, anchor: anchor)
            case .collectionEnd:
                try builder.endCollection(at: event.place.upperBound)
            case .alias(let name):
                try builder.alias(name, at: event.place)
            case .scalar(let scalar):
                refuse(scalar.tag, event, &builder)
                if let text = scalar.verbatim {
                    try builder.scalar(scalar.kind, at: event.place, text: text, anchor: scalar.anchor)
                } else {
                    try builder.scalar(scalar.kind, at: event.place, rewritten: scalar.rewritten, anchor: scalar.anchor)
                }
            case .other:
                break
            }
        }
    }

    private static func refuse(_ tag: String?, _ event: YAMLEvent, _ builder: inout DocumentBuilder) {
        guard let tag else { return }
        let shown = tag.hasPrefix("tag:yaml.org,2002:") ? "!!" + tag.dropFirst("tag:yaml.org,2002:".count) : tag
        builder.report(
            Diagnostic(.tag, "tag \(shown.quoted) is not used in a services file", at: builder.range(event.tagPlace))
                .helped(by: "remove it; put the value in quotes to keep it text")
        )
    }

    private static func severalDocuments(_ event: YAMLEvent, in source: SourceFile) -> Diagnostic {
        Diagnostic(.severalDocuments, "a services file is one document", at: SourceRange(source, event.place))
            .labelled("a second one begins here")
            .helped(by: "put what differs by environment under 'environments', what is shared into 'include'")
    }
}
