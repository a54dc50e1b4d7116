import WireBase
import CCurl
import WireHTTP

/// The loop of the transfer thread: reads messages, runs libcurl, reports results.
struct Engine: ~Copyable {
    private let multi: Multi
    private let mailbox: Mailbox
    private let meter: Meter
    private let options: TransferOptions
    private let alarm = Alarm()
    private let arrivals = Arrivals()
    private var network: NetworkState
    private var transfers: [UInt: Transfer] = [:]
    private var handles: [ObjectIdentifier: UInt] = [:]
    /// The number of transfers that request an upgrade or are upgraded.
    private var upgrades = 0
    /// The transfers that are connections without HTTP.
    private var connections: Set<UInt> = []
    private var isStopped = false

    init(_ multi: Multi, _ mailbox: Mailbox, _ meter: Meter, _ options: TransferOptions) {
        (self.multi, self.mailbox, self.meter, self.options) = (multi, mailbox, meter, options)
        network = NetworkState(sockets: multi.sockets)
    }

    /// Runs until it is told to stop and all transfers have ended.
    mutating func run() {
        while true {
            for message in mailbox.dequeue() { take(message) }
            guard !isStopped else { break }
            // An ended transfer frees its connection for a waiting one, which libcurl may not resume by itself.
            repeat { multi.perform() } while endFinished()
            endLate()
            leaveWithPeers()
            handOver()
            wait()
        }
        for case .start(let exchange) in mailbox.close() { exchange.end(.failure(.stopped)) }
        for id in Array(transfers.keys) {
            end(id) { .failure($0.failure(.cancelled, "the HTTP client was stopped")) }
        }
    }

    /// Finishes ended transfers; returns whether there were any.
    private mutating func endFinished() -> Bool {
        var isAny = false
        while let (id, code) = multi.nextEnd() {
            isAny = true
            guard code == CURLE_OK, let transfer = transfers[id], transfer.hop.isConnection else {
                end(id) { $0.end(code) }
                continue
            }
            connections.insert(id)
            transfer.beginExchange()
            serve(id, transfer)
        }
        return isAny
    }

    // MARK: Connections without HTTP

    private mutating func serve(_ id: UInt, _ transfer: Transfer) {
        if let outcome = transfer.exchangeBytes() { end(id) { _ in outcome } }
    }

    /// Waits for the network, and serves the connections that are ready.
    private mutating func wait() {
        var (ids, sockets): ([UInt], [curl_waitfd]) = ([], [])
        for id in connections {
            guard let socket = transfers[id]?.awaited else { continue }
            ids.append(id)
            sockets.append(socket)
        }
        multi.wait(upTo: pause, also: &sockets)
        for (id, socket) in zip(ids, sockets) where socket.revents != 0 {
            if let transfer = transfers[id] { serve(id, transfer) }
        }
    }

    // MARK: Messages

    private mutating func take(_ message: Mailbox.Message) {
        switch message {
        case .start(let exchange): start(exchange)
        case .poll(let exchange): look(exchange)
        case .networkChanged: endLost()
        case .stop: isStopped = true
        }
    }

    private mutating func look(_ exchange: TransferExchange) {
        guard let id = handles[ObjectIdentifier(exchange)], let transfer = transfers[id] else { return }
        if exchange.isOver {
            end(id) { _ in .success(()) }
        } else if transfer.isConnected {
            serve(id, transfer)
        } else if let code = transfer.poll() {
            end(id) { $0.end(code) }
        }
    }

    /// Delivers received bytes to their readers, until resuming transfers brings no more.
    private mutating func handOver() {
        var exchanges = arrivals.dequeue()
        while !exchanges.isEmpty {
            for exchange in exchanges where exchange.handOver() { look(exchange) }
            exchanges = arrivals.dequeue()
        }
    }

    /// Ends upgraded connections whose peer has half-closed, since libcurl would wait to send.
    private mutating func leaveWithPeers() {
        guard upgrades > 0 else { return }
        for (_, transfer) in transfers where transfer.isLeftByPeer { transfer.exchange.endUpload() }
    }

    private mutating func start(_ exchange: TransferExchange) {
        guard !exchange.isOver else { return }
        guard transfers.count < options.transfers else {
            let reason = "\(transfers.count) requests are in progress, expected at most \(options.transfers)"
            return exchange.end(.failure(TransferFailure(.exhausted, reason, wasNotSent: true)))
        }
        do throws(TransferFailure) {
            let transfer = try Transfer(exchange, options, alarm, arrivals, network)
            guard multi.add(transfer.easy) else {
                return exchange.end(.failure(transfer.failure(.exhausted, "libcurl accepted no more requests")))
            }
            network.lookUp(transfer.lookedUp)
            transfers[transfer.easy.id] = transfer
            handles[ObjectIdentifier(exchange)] = transfer.easy.id
            if exchange.hop.upgrade != nil { upgrades += 1 }
            meter.setTransfers(transfers.count)
        } catch {
            exchange.end(.failure(error))
        }
    }

    private mutating func end(_ id: UInt, as outcome: (Transfer) -> Result<Void, TransferFailure>) {
        guard let transfer = transfers.removeValue(forKey: id) else { return }
        handles[ObjectIdentifier(transfer.exchange)] = nil
        connections.remove(id)
        if transfer.hop.upgrade != nil { upgrades -= 1 }
        meter.setTransfers(transfers.count)
        let end = outcome(transfer)
        if case .failure(let failure) = end, failure.kind == .unreachable, transfer.hop.socket == nil {
            network.doubt(transfer.lookedUp)
        }
        multi.remove(transfer.easy)
        transfer.exchange.end(end)
    }

    /// Ends the connections that a network change has cut off, and their transfers.
    ///
    /// A connection whose address and route are still there may recover. A request that must not be sent twice waits
    /// for that; others end at once, and the connection is not reused.
    private mutating func endLost() {
        network.doubted = Monotonic.now
        let findings = multi.sockets.findings()
        guard findings.contains(where: { $0.harm != nil }) else { return }
        let byPort = Dictionary(grouping: findings, by: \.localPort)
        let byTransfer = Dictionary(grouping: findings, by: \.transfer)
        var inUse: Set<Int32> = []
        var ending: [UInt] = []
        for (id, transfer) in transfers {
            // Before the request is sent several addresses may be tried; afterwards it has one connection.
            let ofPort = transfer.attempts == 0 ? nil : byPort[transfer.localPort]
            let own = ofPort ?? byTransfer[transfer.number] ?? []
            let harms = own.compactMap(\.harm)
            let isHarmed = !own.isEmpty && harms.count == own.count
            let mayWait = transfer.attempts > 0 && !transfer.hop.mayBeRepeated && harms.contains { $0 == .moved }
            if isHarmed, !mayWait {
                ending.append(id)
            } else {
                inUse.formUnion(own.map(\.socket))
                // libcurl closes the connection at the end of the transfer, before any reuse.
                if isHarmed { try? transfer.easy.set(CURLOPT_FORBID_REUSE, 1) }
            }
        }
        for id in ending { end(id) { .failure($0.networkFailure) } }
        for finding in findings where finding.harm != nil && !inUse.contains(finding.socket) {
            multi.sockets.shutDown(finding.socket)
        }
    }

    /// Ends late transfers; all are examined only when one may be late, since deadlines only move forward in between.
    private mutating func endLate() {
        let now = Monotonic.now
        guard now >= alarm.due else { return }
        alarm.reset()
        var late: [(UInt, TransferFailure)] = []
        for (id, transfer) in transfers {
            if let failure = transfer.lateness(at: now) { late.append((id, failure)) } else { alarm.arm(transfer.due) }
        }
        for (id, failure) in late { end(id) { _ in .failure(failure) } }
    }

    /// The milliseconds until the next deadline.
    private var pause: Int32 {
        let now = Monotonic.now
        guard alarm.due > now else { return 0 }
        return Int32(clamping: min((alarm.due - now) / 1_000_000 + 1, 60_000))
    }
}
