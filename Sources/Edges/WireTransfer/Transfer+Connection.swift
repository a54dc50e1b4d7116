import CCurl
import WireBase
import WireHTTP

/// A connection that libcurl has made, on which bytes are exchanged without HTTP.
extension Transfer {
    /// The size of a part.
    private static let part = 16_384

    /// Reports the connection, and starts sending.
    func beginExchange() {
        isConnected = true
        exchange.deliver(ResponseHead(status: .switchingProtocols, fields: [:], repeats: 0))
        arrivals.add(exchange)
        exchange.settleUpgrade(isAccepted: true)
        enter(.receiving)
    }

    /// What to wait for at the socket; nil for nothing.
    var awaited: curl_waitfd? {
        guard isConnected, let socket else { return nil }
        let events = (isReceivingHeld ? 0 : CURL_WAIT_POLLIN) | (unsent.isEmpty ? 0 : CURL_WAIT_POLLOUT)
        return events == 0 ? nil : curl_waitfd(fd: socket, events: Int16(events), revents: 0)
    }

    /// Sends and receives what is possible without waiting; returns the result once the connection has ended.
    ///
    /// libcurl may hold decrypted bytes for which the socket does not wake, so receiving goes on until nothing is left
    /// or the reader's buffer is full.
    func exchangeBytes() -> Result<Void, TransferFailure>? {
        if let failure = sendParts() { return .failure(failure) }
        return receiveParts()
    }

    private func sendParts() -> TransferFailure? {
        while !unsent.isEmpty || takeUnsent() {
            switch easy.send(unsent) {
            case .bytes(let count):
                unsent = unsent.dropFirst(count)
                sentBytes += count
            case .blocked: return nil
            // What the server has sent before it closed the connection is still received.
            case .failed: (unsent, hasSentAll) = ([], true)
            }
        }
        return exchange.upload?.failure
    }

    /// Takes the next bytes to send; false where there are none.
    private func takeUnsent() -> Bool {
        guard !hasSentAll, let upload = exchange.upload, upload.hasMore else { return false }
        var room = [UInt8](repeating: 0, count: Self.part)
        switch unsafe room.withUnsafeMutableBytes({ unsafe upload.read(into: $0) }) {
        case .bytes(let count):
            unsent = room[..<count]
            return true
        case .end: hasSentAll = true
        case .later, .failed: break
        }
        return false
    }

    private func receiveParts() -> Result<Void, TransferFailure>? {
        isReceivingHeld = false
        var room = [UInt8](repeating: 0, count: Self.part)
        while true {
            if !unread.isEmpty {
                switch unsafe unread.withUnsafeBytes({ unsafe exchange.receive($0) }) {
                case .taken: unread = []
                case .hold:
                    isReceivingHeld = true
                    rearm()
                    return nil
                case .stop: return .success(())
                }
                arrivals.add(exchange)
                rearm()
            }
            switch unsafe room.withUnsafeMutableBytes({ unsafe easy.receive(into: $0) }) {
            case .bytes(0): return .success(())
            case .bytes(let count): unread = Array(room[..<count])
            case .blocked: return nil
            case .failed:
                let words = easy.words.isEmpty ? "" : ": \(shownWords)"
                return .failure(failure(.interrupted, "the connection to \(hop.url.origin) was lost\(words)"))
            }
        }
    }
}
