import WireBase
import WireConfig
import WireGraphQL
import WireHTTP
import WireService
import WireStore
import WireSyncContract
import WireWorkContract

/// Prepares the requests of the outbox, and handles their answers.
extension MutationQueue: OutboxDelegate {
    /// The mutation of a request, where it belongs to the present user.
    private func place(of item: OutboxItem) async -> (repository: MutationRepository, id: String, cache: SyncCache)? {
        guard let region = item.request.note["region"]?.string, let id = item.request.note["mutation"]?.string,
            let cache = await caches.present(in: region)
        else { return nil }
        return (MutationRepository(store: host.stores.device.values, region: region), id, cache)
    }

    func ready(_ item: OutboxItem) async -> OutboxReadiness {
        let readiness = await check(item)
        if case .wait = readiness { stall(item) } else { stalled.unmark(item.request.lane) }
        return readiness
    }

    func postponed(_ item: OutboxItem, because reason: String) async { stall(item) }

    /// Callers waiting for a mutation of the lane get the answer that it is queued.
    private func stall(_ item: OutboxItem) {
        stalled.mark(item.request.lane, for: item.request.note["mutation"]?.string ?? "")
        changeListeners.notify(())
    }

    private func check(_ item: OutboxItem) async -> OutboxReadiness {
        guard let (repository, id, cache) = await place(of: item) else {
            return .wait(because: "the user of the mutation is not signed in", atMost: Self.long)
        }
        guard barrier.enter() else { return .wait(because: "the queue is being cleared", atMost: Self.soon) }
        defer { barrier.leave() }
        do throws(StoreFailure) {
            guard let mutation = try await repository.read(id) else {
                return .obsolete(because: "the mutation was removed")
            }
            return try await ready(mutation, item, repository, cache)
        } catch {
            return .wait(because: error.reason, atMost: Self.soon)
        }
    }

    private static let soon = Duration.seconds(30)
    private static let long = Duration.seconds(3_600)

    private func ready(
        _ mutation: QueuedMutation,
        _ item: OutboxItem,
        _ repository: MutationRepository,
        _ cache: SyncCache
    ) async throws(StoreFailure) -> OutboxReadiness {
        switch mutation.state {
        case .confirmed:
            if !mutation.isApplied { try await apply(mutation, repository, cache) }
            return .obsolete(because: "the mutation was sent")
        case .failed: return .obsolete(because: mutation.reason ?? "the mutation has failed")
        case .conflict:
            let left = (mutation.deadline ?? now) - now
            guard left <= 0 else {
                return .wait(because: "the conflict is not resolved yet", atMost: .milliseconds(left))
            }
            try await fail(mutation.id, "the conflict was not resolved in time", nil, repository, cache)
            return .obsolete(because: "the conflict was not resolved in time")
        case .accepted, .sent: break
        }
        if let reason = try await missing(for: mutation, repository, cache) {
            switch reason {
            case .notYet(let name): return .wait(because: "the object \(name) is not created yet", atMost: Self.long)
            case .never(let name):
                let reason = "the object \(name) was not created"
                try await fail(mutation.id, reason, nil, repository, cache)
                return .obsolete(because: reason)
            }
        }
        // The process that created the object may not have known of this mutation, whose target still has the
        // temporary id.
        let mutation = try await catchUp(mutation, repository, cache)
        let variables = cache.resolved(mutation.variables)
        let asked: AskedOperation
        do throws(Fault) {
            asked = try self.asked(mutation)
        } catch {
            try await fail(mutation.id, error.reason, nil, repository, cache)
            return .obsolete(because: error.reason)
        }
        if mutation.state == .accepted, let sent = try await edit(mutation.id, on: repository, { $0.beSent() }) {
            emit(sent)
        }
        return .send(request(mutation, asked, variables, item))
    }

    private enum Missing {
        case notYet(String), never(String)
    }

    /// Why a mutation cannot be sent: it names an object that the server has not created.
    private func missing(for mutation: QueuedMutation, _ repository: MutationRepository, _ cache: SyncCache)
        async throws(StoreFailure) -> Missing?
    {
        for name in Self.ownIDs(in: cache.resolved(mutation.variables)) where name != mutation.temporary {
            // Another process may have accepted the mutation that creates it.
            if try await withIndex(repository, { $0.maker(of: name) }) == nil { try await reload(repository) }
            let isAwaited = try await withIndex(repository) { $0.maker(of: name) } != nil
            // An id is stored before its mutation ends, so it is read after that.
            if let rewriting = try await repository.alias(name) {
                cache.resolve([rewriting])
                continue
            }
            return isAwaited ? .notYet(name) : .never(name)
        }
        return nil
    }

    /// The request as it is sent now: the document, the variables with real ids, and the time of the mutation.
    private func request(
        _ mutation: QueuedMutation,
        _ asked: AskedOperation,
        _ variables: JSONValue,
        _ item: OutboxItem
    ) -> OutboxRequest {
        var request = item.request
        request.fields = settings.requestFields
        request.fields[Self.keyField] = mutation.key
        request.fields["Corewire-Made"] = "\(Timestamp(milliseconds: mutation.made))"
        request.body = GraphQLRequest(
            asked.prepared.typedText,
            operationName: asked.prepared.name,
            variables: variables.members ?? []
        ).json.bytes()
        return request
    }

    /// The ids that were generated here; a text that only looks like one is not waited for.
    private static func ownIDs(in variables: JSONValue) -> [String] {
        switch variables {
        case .string(let text):
            text.utf8.count == TemporaryID.prefix.utf8.count + 32 && TemporaryID.all(in: text) == [text] ? [text] : []
        case .array(let items): items.flatMap(ownIDs)
        case .object(let members): members.flatMap { ownIDs(in: $0.value) }
        default: []
        }
    }

    // MARK: Answers

    func accepts(_ status: Status) -> Bool { settings.conflicts.statuses.contains(status.code) }

    func answered(_ item: OutboxItem, _ answer: OutboxAnswer) async throws {
        guard let (repository, id, cache) = await place(of: item), barrier.enter() else {
            throw OutboxRetry(because: "another user signed in")
        }
        defer { barrier.leave() }
        guard let mutation = try await repository.read(id) else { return }
        if mutation.state == .confirmed {
            if !mutation.isApplied { try await apply(mutation, repository, cache) }
            return
        }
        switch MutationAnswer(answer, settings.conflicts) {
        // A mutation dropped while it was being sent has been executed all the same.
        case .confirmed(let response): try await confirm(mutation, response, repository, cache)
        case .failed(let reason, let response): try await fail(id, reason, response, repository, cache)
        case .conflict(let info, let response):
            guard !mutation.state.hasEnded else { return }
            if try await conflict(mutation, info, response, repository, cache) {
                throw OutboxRetry(because: "the server's data has changed")
            }
        case .again(let reason): throw Fault(reason)
        }
    }

    func givenUp(_ item: OutboxItem, because reason: String, answer: OutboxAnswer?) async {
        guard let region = item.request.note["region"]?.string, let id = item.request.note["mutation"]?.string else {
            return
        }
        let repository = MutationRepository(store: host.stores.device.values, region: region)
        let response = answer?.json.flatMap(ServerResponse.init)
        do throws(StoreFailure) {
            try await fail(
                id,
                response?.complaint?.shown(upTo: 300) ?? reason,
                response,
                repository,
                await caches.present(in: region)
            )
        } catch {
            logUnusable(error)
        }
    }
}

extension QueuedMutation {
    fileprivate mutating func beSent() {
        if state == .accepted { state = .sent }
    }
}
