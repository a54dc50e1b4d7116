import WireConfig

/// An event of libyaml: small, since there are up to half a million; names and texts are read from the parser.
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
    /// The bytes of the node, including anchor and tag.
    let whole: Range<Int>
    /// The bytes of the node without anchor and tag.
    let place: Range<Int>
    /// Whether the node has an anchor or a tag.
    let hasProperties: Bool
    /// Whether the node has characters beyond ASCII.
    let isWide: Bool
    /// The first line, counted from zero.
    let line: Int
    let column: Int
}

/// A scalar: the place of its value, unless escapes or folding changed it.
struct YAMLScalar {
    let kind: NodeKind
    let verbatim: Range<Int>?
}
