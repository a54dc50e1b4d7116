import Testing
import WireMQTT

@testable import WireEmbedded

@Suite("The queue of an MQTT session")
struct SessionQueueTests {
    private static func message(_ text: String, expires: Int64? = nil) -> BrokerMessage {
        var message = BrokerMessage(Publish(TopicName("a"), Array(text.utf8), .atLeastOnce, id: 1), now: 0)
        message.expires = expires
        return message
    }

    private static func queue(
        _ texts: String...,
        expires: Int64? = nil,
        held: HeldSize = HeldSize()
    ) -> SessionQueue {
        var queue = SessionQueue(held)
        for text in texts {
            queue.add(.init(held: message(text, expires: expires), number: queue.takeNumber()))
        }
        return queue
    }

    @Test("packet ids go from 1 to 65535 and begin again; one that is in use is left out")
    func ids() {
        #expect([1, 65_535, 65_536, 131_070, 131_071].map(SessionQueue.id) == [1, 65_535, 1, 65_535, 1])
        var queue = Self.queue("first")
        let numbers = (1...65_535).map { _ in queue.takeNumber() }
        #expect(numbers.prefix(65_534).elementsEqual(2...65_535))
        #expect(numbers.last == 65_537)
    }

    @Test("the size is that of the messages that are left")
    func size() throws {
        let held = HeldSize()
        var queue = Self.queue("a", "bb", "ccc", held: held)
        let sizes = queue.items.map(\.size)
        #expect(sizes[0] > 0 && sizes[2] == sizes[0] + 2)
        let (first, second) = (queue.next(upTo: 10), queue.next(upTo: 10))
        _ = queue.acknowledge(try #require(first).id)
        queue.skip(try #require(second))
        #expect(held.bytes == sizes[2] && queue.items.count == 1 && queue.sent == 0)
    }

    @Test("only what was sent on this connection can be acknowledged, once")
    func acknowledged() throws {
        var queue = Self.queue("a", "b")
        let next = queue.next(upTo: 1)
        let first = try #require(next)
        let none = queue.next(upTo: 1)
        #expect(none == nil)
        let numbers = [2, first.id, first.id].map { queue.acknowledge($0)?.number }
        #expect(numbers == [nil, first.number, nil])
        _ = queue.next(upTo: 1)
        queue.restart()
        let early = queue.acknowledge(2)
        #expect(early == nil)
        let again = queue.next(upTo: 1)
        #expect(again?.wasSent == true && again?.number == 2)
    }

    @Test("what expires is removed, except what was sent on this connection")
    func expired() throws {
        let held = HeldSize()
        var queue = Self.queue("a", "b", expires: 10, held: held)
        queue.add(.init(held: Self.message("c", expires: 20), number: queue.takeNumber()))
        let left = queue.items[0].size + queue.items[2].size
        _ = queue.next(upTo: 1)
        let (none, some) = (queue.removeExpired(at: 9), queue.removeExpired(at: 10))
        #expect(none.isEmpty && some.map(\.number) == [2])
        #expect(queue.items.map(\.number) == [1, 3] && held.bytes == left)
        queue.restart()
        let rest = queue.removeExpired(at: 20)
        #expect(rest.map(\.number) == [1, 3])
        #expect(held.bytes == 0)
    }
}
