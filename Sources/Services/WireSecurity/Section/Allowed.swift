package import WireConfig

/// An allowed item: written alone, or with a reason.
package struct Allowed<Item: Sendable>: Sendable {
    /// The allowed item.
    package let item: Item
    /// The reason for the report.
    package let reason: String?

    package init(_ item: Item, reason: String? = nil) {
        (self.item, self.reason) = (item, reason)
    }
}

extension Allowed: SettingValue where Item: SettingValue {
    package static var form: Form { .either(Item.form, Reasoned<Item>.form) }
    package static var placeholder: Self { Self(Item.placeholder) }

    package var literal: Literal {
        guard let reason else { return item.literal }
        return .mapping([("what", item.literal), ("reason", .text(reason))])
    }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        guard reader.document.kind(node) == .mapping else { return Item.read(node, with: reader).map { Self($0) } }
        return Reasoned<Item>.read(node, with: reader).map { Self($0.what, reason: $0.reason) }
    }
}

/// An allowed item with a reason.
private struct Reasoned<Item: SettingValue>: Record {
    @Setting var what: Item
    @Setting var reason: String

    init(_ keys: inout Keys) {
        _what = keys.required("what", "Allowed item.")
        _reason = keys.required("reason", "Reason, which the report shows.", .example("the company's own probe"))
    }
}
