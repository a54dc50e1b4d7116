import WireConfig

/// What libyaml met: small, because half a million of them pass by; names and texts are asked of the parser.
struct YAMLEvent {
    enum Kind {
        case documentStart
        case mappingStart
        case sequenceStart
        case collectionEnd
        case scalar
        case alias
        case end
        case other
    }

    let kind: Kind
    /// The bytes of the file it spans, anchor and tag included.
    let whole: Range<Int>
    /// The bytes of the node itself, behind its anchor and tag.
    let place: Range<Int>
    /// Whether an anchor or a tag stands before the node.
    let hasProperties: Bool
    /// Whether it holds characters beyond ASCII.
    let isWide: Bool
    /// Where it begins, counted from zero.
    let line: Int
    let column: Int
}

/// A scalar of the text: where its value stands in the file, unless escapes or folding changed it.
struct YAMLScalar {
    let kind: NodeKind
    let verbatim: Range<Int>?
}
