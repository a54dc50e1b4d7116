import WireConfig

/// What libyaml met, copied out of its memory.
struct YAMLEvent {
    enum Kind {
        case documentStart
        case mappingStart(tag: String?, anchor: String?)
        case sequenceStart(tag: String?, anchor: String?)
        case collectionEnd
        case scalar(YAMLScalar)
        case alias(String)
        case end
        case other
    }

    let kind: Kind
    /// The bytes of the file it spans.
    let place: Range<Int>

    var isMapping: Bool {
        if case .mappingStart = kind { true } else { false }
    }

    /// The beginning of the node, where a tag stands.
    var tagPlace: Range<Int> { place.lowerBound..<min(place.upperBound, place.lowerBound + 1) }
}

/// A scalar of the text: where its value stands in the file or, when escapes or folding changed it, the value itself.
struct YAMLScalar {
    let kind: NodeKind
    let tag: String?
    let anchor: String?
    let verbatim: Range<Int>?
    let rewritten: [UInt8]
}

