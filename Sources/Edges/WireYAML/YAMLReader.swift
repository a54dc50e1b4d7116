package import WireBase
package import WireConfig

/// Reads YAML through libyaml's events.
///
/// Scalars stay text; their readers interpret them.
package enum YAMLReader {
    /// Builds the nodes of a text; throws at the first place that is not valid YAML.
    package static func read(_ builder: inout DocumentBuilder, _ source: SourceFile) throws(Unreadable) {
        var reading = YAMLReading(source)
        try reading.run(&builder)
    }
}

/// The reading of one text into a document.
private struct YAMLReading: ~Copyable {
    private let source: SourceFile
    private var parser: YAMLParser
    private var lookalikes: YAMLLookalikes
    private var misreadings: YAMLMisreadings
    private var documents = 0
    private var lastScalar = 0..<0
    /// The end of a collection with `}}`, as in templates: it counts once libyaml accepts the next token, since the
    /// builder's message about `{{ name }}` is of no use where `{{ name }} and more` stops the parser.
    private var heldEnd: Int?

    init(_ source: SourceFile) {
        self.source = source
        parser = YAMLParser(source)
        lookalikes = YAMLLookalikes(source)
        misreadings = YAMLMisreadings(source)
    }

    mutating func run(_ builder: inout DocumentBuilder) throws(Unreadable) {
        if !parser.isASCII, let problem = source.foreignLineBreak { throw Unreadable(problem) }
        while true {
            let event = try next(&builder)
            if let end = heldEnd {
                heldEnd = nil
                try builder.endCollection(at: end)
            }
            switch event.kind {
            case .scalar:
                try readScalar(event, &builder)
                lastScalar = event.place
                lookalikes.noteScalar(event)
                continue
            case .mappingStart, .sequenceStart:
                try misreadings.begin(event)
                if event.hasProperties { refuseTag(event, &builder) }
                try builder.beginCollection(
                    event.kind == .mappingStart ? .mapping : .sequence,
                    at: event.place.lowerBound,
                    anchor: event.hasProperties ? parser.anchor() : nil
                )
            case .collectionEnd:
                try misreadings.endCollection(event)
                try endCollection(at: event.place.upperBound, &builder)
            case .alias:
                try misreadings.alias(event)
                try builder.alias(parser.anchor() ?? "", at: event.place)
            case .documentStart:
                documents += 1
                if documents > 1 { throw Unreadable(severalDocuments(event)) }
                lookalikes.noteDocument()
                continue
            case .end:
                return
            case .other:
                break
            }
            lookalikes.noteOther()
        }
    }

    private mutating func next(_ builder: inout DocumentBuilder) throws(Unreadable) -> YAMLEvent {
        do {
            return try parser.next()
        } catch {
            var complaint = error
            complaint.lastScalar = lastScalar
            let problem = complaint.diagnostic
            if let end = heldEnd, let place = problem.place, source.position(of: end).line != place.start.line {
                try builder.endCollection(at: end)
            }
            throw Unreadable(problem)
        }
    }

    private mutating func endCollection(at end: Int, _ builder: inout DocumentBuilder) throws(Unreadable) {
        let isTemplateEnd =
            end > 1 && source.bytes[end - 1] == UInt8(ascii: "}") && source.bytes[end - 2] == UInt8(ascii: "}")
        if isTemplateEnd {
            heldEnd = end
        } else {
            try builder.endCollection(at: end)
        }
    }

    private mutating func readScalar(_ event: YAMLEvent, _ builder: inout DocumentBuilder) throws(Unreadable) {
        if event.hasProperties { refuseTag(event, &builder) }
        let anchor = event.hasProperties ? parser.anchor() : nil
        let scalar = parser.scalar(at: event.place)
        try misreadings.scalar(event, isPlain: scalar.kind == .plain, isRewritten: scalar.verbatim == nil)
        if event.place.isEmpty {
            // In braces libyaml places a missing value at the start of the next token.
            let isOfKey = source.bytes[lastScalar.upperBound...].first == UInt8(ascii: ":")
            let start = isOfKey ? lastScalar.upperBound + 1 : event.place.lowerBound
            if let problem = source.commentInPlaceOfValue(at: start) { builder.report(problem) }
        }
        if scalar.kind == .plain, let meant = try lookalikes.examine(event, &builder) {
            try builder.scalar(.quoted, at: event.place, text: meant, anchor: anchor)
        } else if let text = scalar.verbatim {
            try builder.scalar(scalar.kind, at: event.place, text: text, anchor: anchor)
        } else {
            try builder.scalar(scalar.kind, at: event.place, rewritten: parser.rewritten(), anchor: anchor)
        }
    }

    private func refuseTag(_ event: YAMLEvent, _ builder: inout DocumentBuilder) {
        guard let tag = parser.tag() else { return }
        let shown = tag.hasPrefix("tag:yaml.org,2002:") ? "!!" + tag.dropFirst("tag:yaml.org,2002:".count) : tag
        let properties = event.whole.lowerBound..<event.place.lowerBound
        let start = source.bytes[properties].firstIndex(of: UInt8(ascii: "!")) ?? event.whole.lowerBound
        builder.report(
            Diagnostic(.tag, "tag \(shown.quoted) is not used in a services file", at: builder.range(start..<start + 1))
                .helped(by: "remove it; put the value in quotes to keep it text")
        )
    }

    private func severalDocuments(_ event: YAMLEvent) -> Diagnostic {
        Diagnostic(.severalDocuments, "a services file is one document", at: SourceRange(source, event.place))
            .labelled("a second document begins here")
            .helped(by: "move differences between environments to 'environments', and shared parts to 'include'")
    }
}
