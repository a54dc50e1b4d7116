import WireBase
import WireMQTT

extension Property {
    /// Two lines: a filter of topics, and the name of a topic.
    static func checkTopic(_ bytes: [UInt8]) throws(BrokenProperty) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        guard lines.count == 2, let text = String(validating: lines[0], as: UTF8.self),
            let name = String(validating: lines[1], as: UTF8.self), let filter = TopicFilter(text)
        else { return }
        try checkAgain(filter)
        guard let topic = TopicName(name) else { return }
        var parts = levels(of: lines[0])
        if filter.group != nil { parts.removeFirst(2) }
        let isOwn = lines[1].first == UInt8(ascii: "$") && (parts.first == ["+"] || parts.first == ["#"])
        guard filter.matches(topic) == (!isOwn && areMet(parts[...], levels(of: lines[1])[...])) else {
            throw BrokenProperty("a topic matches a filter that it should not match, or does not match one it should")
        }
    }

    private static func levels(of line: ArraySlice<UInt8>) -> [[Character]] {
        line.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { level in
            level.map { Character(Unicode.Scalar($0)) }
        }
    }

    /// The rule of the specification, level by level.
    private static func areMet(_ levels: ArraySlice<[Character]>, _ names: ArraySlice<[Character]>) -> Bool {
        guard let level = levels.first else { return names.isEmpty }
        if level == ["#"] { return true }
        guard let name = names.first, level == ["+"] || level == name else { return false }
        return areMet(levels.dropFirst(), names.dropFirst())
    }

    /// A server reads the filter as a client has written it.
    private static func checkAgain(_ filter: TopicFilter) throws(BrokenProperty) {
        let packet = Packet.subscribe(Subscribe(1, [Subscribe.Subscription(filter, .atLeastOnce)]))
        var reader = PacketReader(.v5, limit: .kibibytes(128))
        let read: Packet?
        do throws(PacketError) {
            reader.add(try packet.encoded(in: .v5))
            read = try reader.next()
        } catch {
            throw BrokenProperty("a filter cannot be subscribed: \(error.reason)")
        }
        guard read == packet else { throw BrokenProperty("a subscription that is written again is another") }
    }
}
