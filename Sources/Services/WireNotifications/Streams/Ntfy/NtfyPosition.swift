/// A position among the messages of an ntfy server: the server's time of the last one, and the ids of that second.
///
/// The server repeats the messages of that second. An id as the position would miss messages with a delay.
struct NtfyPosition: Sendable, Equatable {
    /// Seconds since 1970.
    private(set) var time: Int
    private(set) var ids: [String]

    private static let mostIDs = 100

    init(time: Int) { (self.time, ids) = (time, []) }

    init?(_ text: String) {
        let words = text.split(separator: " ").map(String.init)
        guard let time = words.first.flatMap({ Int($0) }), time > 0 else { return nil }
        (self.time, ids) = (time, Array(words.dropFirst().prefix(Self.mostIDs)))
    }

    var text: String { (["\(time)"] + ids).joined(separator: " ") }

    func contains(_ id: String, at time: Int) -> Bool { time == self.time && ids.contains(id) }

    mutating func move(to id: String, at time: Int) {
        if time != self.time { (self.time, ids) = (time, []) }
        if ids.count < Self.mostIDs, !id.contains(" ") { ids.append(id) }
    }
}
