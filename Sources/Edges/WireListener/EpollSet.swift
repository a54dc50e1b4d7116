import CLinux
import Glibc

/// An epoll instance: any thread may change it, one waits.
final class EpollSet: Sendable {
    private let descriptor = corewire_epoll()

    struct Event {
        let tag: UInt64
        /// Whether the peer has disconnected, and not only half-closed.
        let isWhole: Bool
    }

    deinit { _ = close(descriptor) }

    func add(_ watched: Int32, tag: UInt64, _ interest: UInt32) {
        control(EPOLL_CTL_ADD, watched, tag, interest)
    }

    func change(_ watched: Int32, tag: UInt64, _ interest: UInt32) {
        control(EPOLL_CTL_MOD, watched, tag, interest)
    }

    func remove(_ watched: Int32) {
        control(EPOLL_CTL_DEL, watched, 0, 0)
    }

    private func control(_ order: Int32, _ watched: Int32, _ tag: UInt64, _ interest: UInt32) {
        var event = unsafe epoll_event()
        unsafe event.events = interest
        unsafe event.data.u64 = tag
        _ = unsafe epoll_ctl(descriptor, order, watched, &event)
    }

    func wait(nanoseconds: UInt64?) -> [Event] {
        let milliseconds = nanoseconds.map { Int32(clamping: ($0 + 999_999) / 1_000_000) } ?? -1
        var events = unsafe [epoll_event](repeating: epoll_event(), count: 64)
        let count = unsafe epoll_wait(descriptor, &events, Int32(events.count), milliseconds)
        guard count > 0 else { return [] }
        return unsafe events[..<Int(count)].map { event in
            unsafe Event(tag: event.data.u64, isWhole: event.events & corewire_epoll_hang_up != 0)
        }
    }
}
