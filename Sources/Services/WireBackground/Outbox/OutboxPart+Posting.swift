import WireBase
import WireConfig
import WireHTTP
import WireService
import WireStore
import WireWorkContract

/// Posting requests.
extension OutboxPart {
    func post(_ given: OutboxRequest) async throws(OutboxFailure) -> OutboxReceipt {
        guard !isEnded else { throw OutboxFailure(.ending, "the outbox is shutting down") }
        let present = present
        var request = given
        let id = request.id ?? RequestID.next(at: present.host.clock.wall())
        request.id = id
        try OutboxCheck(present.settings.queue, present.host).check(request, id: id)
        let envelope = OutboxEnvelope(request, user: present.host.owner(of: request.authorization))
        var work = NewWork(id: id, lane: request.lane, payload: request.body, isSealed: true)
        work.kind = request.service
        work.metadata = envelope.bytes
        let added = try await add(work, envelope, present)
        guard added.isNew else { return OutboxReceipt(id: id, isNew: false) }
        telemetry.accepted(envelope, id: id)
        for removed in added.removed {
            if request.replacesFormer, (removed.lane, removed.kind) == (request.lane, request.service) {
                report(removed, because: Self.replaced)
            } else {
                await drop(removed, because: Self.freedSpace)
            }
        }
        wake()
        return OutboxReceipt(id: id, isNew: true)
    }

    private static let replaced = "a later request of the lane has replaced it"
    private static let freedSpace = "the queue was full, and the request was the oldest"

    private func add(_ work: NewWork, _ envelope: OutboxEnvelope, _ present: Present) async throws(OutboxFailure)
        -> AddedWork
    {
        let queue = present.settings.queue
        var room = QueueQuota()
        room.entries = queue.maxRequests
        room.size = queue.maxSize
        room.removesOldest = queue.whenFull == .dropOldest
        room.replacesFormer = envelope.request.replacesFormer
        var left = OutboxOutcome(.dropped, nil, lane: work.lane, service: work.kind, attempts: 0, posted: 0)
        left.reason = room.replacesFormer ? Self.replaced : Self.freedSpace
        room.leaving = WorkOutcome(left.bytes, kept: queue.remember)
        let queues = present.queues
        let place = envelope.request.isLocal ? queues[queues.count - 1] : queues[0]
        do throws(StoreFailure) {
            let added = try await place.work.add(work, to: place.name, within: room)
            await telemetry.noteWritten(to: place)
            return added
        } catch {
            throw refusal(error, by: place, present)
        }
    }

    private func refusal(_ failure: StoreFailure, by place: OutboxQueue, _ present: Present) -> OutboxFailure {
        let (queue, places) = (present.settings.queue, present.host.places)
        switch (failure.kind, failure.limit) {
        case (.full, .entries?):
            let refusal = OutboxFailure(
                .full,
                "the limit of \(queue.maxRequests.counted("queued request", "queued requests")) is reached",
                help: "run 'corewire outbox list' to see why requests wait",
                origin: places.origin(of: queue.$maxRequests, "background.queue.maxRequests")
            )
            telemetry.refused(refusal, by: place)
            return refusal
        case (.full, .size?):
            let refusal = OutboxFailure(
                .full,
                "the queued requests would exceed \(queue.maxSize)",
                help: "run 'corewire outbox list' to see why requests wait",
                origin: places.origin(of: queue.$maxSize, "background.queue.maxSize")
            )
            telemetry.refused(refusal, by: place)
            return refusal
        case (.refused, _): return OutboxFailure(.invalid, failure.reason, help: failure.help)
        default:
            telemetry.record(failure, of: place)
            return OutboxFailure(.storeUnavailable, failure.reason, help: failure.help)
        }
    }

    // MARK: Removal

    /// Reports a removed request, which will not arrive.
    @discardableResult
    private func report(_ removed: RemovedWork, because reason: String) -> OutboxEnvelope? {
        let envelope = removed.metadata.flatMap {
            try? OutboxEnvelope(head: $0, lane: removed.lane, service: removed.kind)
        }
        telemetry.dropped(removed.id, envelope, lane: removed.lane, service: removed.kind, because: reason)
        return envelope
    }

    /// Reports a removed request, also to its delegate.
    func drop(_ removed: RemovedWork, because reason: String) async {
        guard let envelope = report(removed, because: reason), let delegate = delegate(of: removed.kind) else { return }
        let item = OutboxItem(
            id: removed.id,
            request: envelope.request,
            attempts: removed.attempts,
            posted: removed.added
        )
        await delegate.givenUp(item, because: reason, answer: nil)
    }
}

/// Ids for requests without one: unique and ordered by time (RFC 9562, version 7).
enum RequestID {
    static func next(at milliseconds: Int64) -> String {
        var bytes: [UInt8] = []
        for shift in stride(from: 40, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: milliseconds >> Int64(shift)))
        }
        let random = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
        bytes.append(0x70 | UInt8(truncatingIfNeeded: random.0 & 0x0f))
        bytes.append(UInt8(truncatingIfNeeded: random.0 >> 8))
        bytes.append(0x80 | UInt8(truncatingIfNeeded: random.0 >> 16) & 0x3f)
        for shift in stride(from: 48, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: random.1 >> shift)) }
        let digits = Hexadecimal.text(of: bytes)
        var id = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { id += "-" }
            id.append(digit)
        }
        return id
    }
}
