import CProcess
import Glibc
import Synchronization
import WireBase
import WireService

/// The network interfaces of this machine, as the kernel tells of them (rtnetlink): nothing is asked again and again.
///
/// A thread waits for news as long as somebody has asked for changes and this is there.
package final class HostLinks: NetworkLinks {
    private struct State {
        var isWatching = false
        var haveAddress: Bool?
        var last = 0
        var listeners: [Int: AsyncStream<Bool?>.Continuation] = [:]
    }

    /// What the thread shares with this; it goes on holding it for a moment after this is gone.
    private final class Watch: Sendable {
        let state = Mutex(State())
        let bell: Int32

        init() { bell = corewire_process_bell() }

        deinit { if bell >= 0 { close(bell) } }

        func look() {
            let haveAddress = LinkFacts.haveAddress
            let listeners = state.withLock { state -> [AsyncStream<Bool?>.Continuation] in
                guard state.haveAddress != haveAddress else { return [] }
                state.haveAddress = haveAddress
                return Array(state.listeners.values)
            }
            for listener in listeners { listener.yield(haveAddress) }
        }

        func ring() {
            var one: UInt64 = 1
            _ = unsafe write(bell, &one, MemoryLayout<UInt64>.size)
        }
    }

    private let watch = Watch()

    package init() {}

    deinit {
        let listeners = watch.state.withLock { state in
            defer { state.listeners = [:] }
            return state.listeners.values
        }
        for listener in listeners { listener.finish() }
        watch.ring()
    }

    package var haveAddress: Bool? {
        let known: Bool?? = watch.state.withLock { $0.isWatching ? .some($0.haveAddress) : .none }
        return known ?? LinkFacts.haveAddress
    }

    package func changes() -> AsyncStream<Bool?> {
        let (stream, listener) = AsyncStream.makeStream(of: Bool?.self, bufferingPolicy: .bufferingNewest(1))
        start()
        let watch = watch
        let number = watch.state.withLock { state in
            state.last += 1
            state.listeners[state.last] = listener
            listener.yield(state.isWatching ? state.haveAddress : LinkFacts.haveAddress)
            return state.last
        }
        listener.onTermination = { _ in watch.state.withLock { _ = $0.listeners.removeValue(forKey: number) } }
        return stream
    }

    private func start() {
        let isFirst = watch.state.withLock { state in
            defer { state.isWatching = true }
            return !state.isWatching
        }
        guard isFirst else { return }
        let (watch, news) = (watch, corewire_link_news())
        // What is true before the socket is there is looked at after it is, so that nothing falls between.
        watch.look()
        guard news >= 0, watch.bell >= 0, SystemThread.start("links", { Self.listen(to: news, watch) }) else {
            if news >= 0 { close(news) }
            watch.state.withLock { $0.isWatching = false }
            return
        }
    }

    private static func listen(to news: Int32, _ watch: Watch) {
        defer { close(news) }
        var bytes = [UInt8](repeating: 0, count: 8_192)
        while true {
            var polls = [
                pollfd(fd: news, events: Int16(POLLIN), revents: 0),
                pollfd(fd: watch.bell, events: Int16(POLLIN), revents: 0),
            ]
            guard unsafe poll(&polls, 2, -1) >= 0 || errno == EINTR else { return }
            if polls[1].revents != 0 { return }
            // What the news say does not matter, nor whether some were lost: the interfaces are looked at.
            while unsafe recv(news, &bytes, bytes.count, Int32(MSG_DONTWAIT)) > 0 {}
            watch.look()
        }
    }
}

/// What the interfaces are like now.
enum LinkFacts {
    /// Whether any but the loopback one is up, with somebody at its other end, and has an address that leads further than
    /// the link; nil where the system does not tell.
    static var haveAddress: Bool? {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&list) == 0 else { return nil }
        defer { unsafe freeifaddrs(list) }
        var next = unsafe list
        while let entry = unsafe next {
            if unsafe isUsable(entry.pointee) { return true }
            unsafe next = entry.pointee.ifa_next
        }
        return false
    }

    private static func isUsable(_ entry: ifaddrs) -> Bool {
        let flags = unsafe Int(entry.ifa_flags)
        let wanted = Int(IFF_UP) | Int(IFF_RUNNING)
        guard flags & wanted == wanted, flags & Int(IFF_LOOPBACK) == 0, let address = unsafe entry.ifa_addr else {
            return false
        }
        switch unsafe Int32(address.pointee.sa_family) {
        case AF_INET: return true
        case AF_INET6:
            return unsafe address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                unsafe withUnsafeBytes(of: address.pointee.sin6_addr) { bytes in
                    unsafe !(bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80)
                }
            }
        default: return false
        }
    }
}
