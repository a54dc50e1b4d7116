/// A position among the messages of an ntfy server: the server's time from which messages are requested, and the ids of
/// the last ones that have arrived.
///
/// The time stays behind that of the last message, since the server publishes messages with a delay after their time. An
/// id as the position would miss them.
struct NtfyPosition: Sendable, Equatable {
    /// Seconds since 1970.
    private(set) var time: Int
    private(set) var ids: [String]

    private static let mostIDs = 100
    private static let longestID = 64
    /// How long after its time a message may be published, in seconds; the server looks for them every ten.
    private static let longestWait = 60

    init(time: Int) { (self.time, ids) = (time, []) }

    init?(_ text: String) {
        let words = text.split(separator: " ").map(String.init)
        guard let time = words.first.flatMap({ Int($0) }), time > 0 else { return nil }
        (self.time, ids) = (time, Array(words.dropFirst().prefix(Self.mostIDs)))
    }

    var text: String { (["\(time)"] + ids).joined(separator: " ") }

    func contains(_ id: String) -> Bool { ids.contains(id) }

    /// Moves behind a message, never backwards.
    ///
    /// `asked` is when the server was asked for what was missed: all messages until shortly before have been published.
    mutating func move(to id: String, at time: Int, asked: Int? = nil) {
        let published = max(time, asked ?? time) - Self.longestWait
        self.time = max(self.time, min(time, published))
        guard id.utf8.count <= Self.longestID, !id.contains(" ") else { return }
        if ids.count == Self.mostIDs { ids.removeFirst() }
        ids.append(id)
    }
}
