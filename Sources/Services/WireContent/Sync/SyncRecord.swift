package import WireConfig

/// One time a module was brought up to date, or was not.
package struct SyncRecord: Sendable, Equatable {
    /// When it began, in milliseconds since 1970.
    package var time: Int64
    /// How long it took, in milliseconds.
    package var took: Int
    /// The moments of the server between which changes were asked for; nothing where all was asked for.
    package var from: Int64?
    package var to: Int64?
    package var created = 0
    package var updated = 0
    package var deleted = 0
    /// What the server told and nothing could be made of.
    package var unusable = 0
    /// How many instances there were in the end.
    package var items: Int?
    /// Why it did not come about.
    package var failure: String?

    package init(time: Int64, took: Int) {
        (self.time, self.took) = (time, took)
    }

    /// How many are kept.
    package static let kept = 50

    package var isDone: Bool { failure == nil }

    package init?(_ json: JSONValue) {
        guard let time = json["time"]?.integer, let took = json["took"]?.integer else { return nil }
        self.init(time: Int64(time), took: took)
        from = json["from"]?.integer.map(Int64.init)
        to = json["to"]?.integer.map(Int64.init)
        created = json["created"]?.integer ?? 0
        updated = json["updated"]?.integer ?? 0
        deleted = json["deleted"]?.integer ?? 0
        unusable = json["unusable"]?.integer ?? 0
        items = json["items"]?.integer
        failure = json["failure"]?.string
    }
}
