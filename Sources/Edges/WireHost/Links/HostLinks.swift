import CProcess
import Glibc
import Synchronization
import WireBase
package import WireNetworkContract

/// The network interfaces and routes of this machine, from the kernel (rtnetlink), without polling.
///
/// A thread waits for changes, from the first subscriber or observer on, for the life of this object.
package final class HostLinks: NetworkLinks, NetworkRoutes {
    private struct State {
        var isWatching = false
        var haveAddress: Bool?
        var observers: [@Sendable () -> Void] = []
    }

    /// The state shared with the thread, which may outlive this object for a moment.
    private final class Watch: Sendable {
        let state = Mutex(State())
        let listeners = Subscribers<Bool?>()
        let wakeup: Int32

        init() { wakeup = corewire_process_bell() }

        deinit { if wakeup >= 0 { close(wakeup) } }

        func look() {
            let haveAddress = LinkFacts.haveAddress
            let (isNew, observers) = state.withLock { state in
                defer { state.haveAddress = haveAddress }
                return (state.haveAddress != haveAddress, state.observers)
            }
            if isNew { listeners.notify(haveAddress) }
            for observer in observers { observer() }
        }

        func ring() {
            var one: UInt64 = 1
            _ = unsafe write(wakeup, &one, MemoryLayout<UInt64>.size)
        }
    }

    private let watch = Watch()
    private let lookup = RouteLookup()
    /// The shortest time in milliseconds between two reads, where routes change all the time.
    private static let pause: Int32 = 50

    package init() {}

    deinit {
        watch.state.withLock { $0.observers = [] }
        watch.listeners.finish()
        watch.ring()
    }

    package var haveAddress: Bool? {
        let known: Bool?? = watch.state.withLock { $0.isWatching ? .some($0.haveAddress) : .none }
        return known ?? LinkFacts.haveAddress
    }

    package func changes() -> AsyncStream<Bool?> {
        start()
        return watch.listeners.listen(beginningWith: self.haveAddress)
    }

    package var addresses: Set<[UInt8]>? { LinkFacts.addresses }

    package func route(to address: [UInt8]) -> NetworkRoute { lookup.route(to: address) }

    package func observe(_ changed: @escaping @Sendable () -> Void) {
        watch.state.withLock { $0.observers.append(changed) }
        start()
    }

    private func start() {
        let isFirst = watch.state.withLock { state in
            defer { state.isWatching = true }
            return !state.isWatching
        }
        guard isFirst else { return }
        let (watch, news) = (watch, corewire_link_news())
        // Read the state after the socket is open, so that no change is missed.
        watch.look()
        guard news >= 0, watch.wakeup >= 0, SystemThread.start("links", { Self.listen(to: news, watch) }) else {
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
                pollfd(fd: watch.wakeup, events: Int16(POLLIN), revents: 0),
            ]
            guard unsafe poll(&polls, 2, -1) >= 0 || errno == EINTR else { return }
            if polls[1].revents != 0 { return }
            // The messages' contents and losses do not matter, since the interfaces are read afterwards.
            while unsafe recv(news, &bytes, bytes.count, Int32(MSG_DONTWAIT)) > 0 {}
            watch.look()
            // The first of several changes is reported at once, later ones soon after together.
            guard unsafe poll(&polls[1], 1, pause) == 0 || errno == EINTR else { return }
        }
    }
}
