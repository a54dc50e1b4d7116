import Synchronization
package import WireConfig
package import WireStore

extension SyncCache {
    /// Shows what a mutation is expected to change, above all else.
    ///
    /// Its owner has made it durable before, and gives all layers again after a restart.
    ///
    /// It may name objects by temporary ids that have become real ones meanwhile.
    package func show(_ layer: OptimisticLayer) {
        change { layers, aliases in layers.show(layer.resolved(aliases)) }
    }

    /// Takes a layer away; what the servers have said shows again.
    package func drop(_ layer: String) { change { layers, _ in layers.remove(layer) } }

    /// Shows these layers in place of all others, such as those that another process has made.
    package func show(only layers: [OptimisticLayer]) {
        change { known, aliases in
            let ids = Set(layers.map(\.id))
            var changed: Set<RecordKey> = []
            for former in known.all where !ids.contains(former.id) && !former.id.hasPrefix(SentLayers.prefix) {
                changed.formUnion(known.remove(former.id))
            }
            for layer in layers { changed.formUnion(known.show(layer.resolved(aliases))) }
            return changed
        }
    }

    package var layers: [OptimisticLayer] { state.withLock { $0.layers.all } }

    /// The layer of a mutation, from the answer that is expected.
    package func layer(
        _ id: String,
        expecting data: JSONValue,
        of mutation: CacheQuestion,
        and changes: [LayerChange] = []
    ) -> OptimisticLayer {
        let rules = state.withLock { $0.rules }
        let written = Self.records(of: data, [], mutation.plan(rules), at: .never)
        return OptimisticLayer(id, written ?? WrittenRecords(), and: changes)
    }

    /// Takes over the server's answer to a mutation, in one step with the end of its layer, or with what it adds to lists.
    ///
    /// What was added to lists stays until the server tells those lists; other processes are told what is added here. With a rewriting, all that names the temporary
    /// id has the real one afterwards: records, layers, and questions from then on. Returns when it was taken over.
    @discardableResult
    package func confirm(
        _ layer: String,
        _ data: JSONValue?,
        errors: [[Normalizer.PathPart]] = [],
        to mutation: CacheQuestion,
        deleting deleted: Set<RecordKey> = [],
        adding added: [LayerChange] = [],
        rewriting: TemporaryID.Rewriting? = nil
    ) async throws(StoreFailure) -> Moment {
        let (rules, now) = (state.withLock { $0.rules }, settings.now())
        let moment = Moment(position: 0, time: now)
        let written = data.flatMap { Self.records(of: $0, errors, mutation.plan(rules), at: moment) }
        var records = written?.records ?? [:]
        for key in deleted { records[key] = .deleted(at: moment) }
        let lists = added.isEmpty ? nil : OptimisticLayer(layer, added)
        if let lists { records[SentLayers.key] = SentLayers.record(lists, at: moment) }
        let changed = try await change(RecordWrite(records, rewriting: rewriting)) { state, receipt in
            var changed = lists.map { state.layers.set($0) } ?? []
            changed.formUnion(state.layers.settle(layer, at: Moment(position: receipt.position, time: now)))
            if let rewriting {
                state.aliases.add(rewriting)
                changed.formUnion(state.layers.rewrite(rewriting))
            }
            return changed
        }
        return Moment(position: changed.position, time: now)
    }

    /// Forgets what was added to lists by mutations confirmed before a time; returns their layers.
    ///
    /// It is time when lists that old are no longer used.
    package func forgetSettled(before time: Int64) -> [String] {
        var gone: [String] = []
        change { layers, _ in
            let forgotten = layers.forgetSettled(before: time)
            gone = forgotten.layers
            return forgotten.changed
        }
        return gone
    }

    /// How a temporary id is replaced, where the real one is known.
    func rewriting(of temporary: String) -> TemporaryID.Rewriting? {
        state.withLock { $0.aliases.rewriting(of: temporary) }
    }

    /// The real id that was given to a temporary one.
    package func real(of temporary: String) -> JSONValue? { state.withLock { $0.aliases.real(of: temporary) } }

    /// Tells the real ids that were given before a restart.
    package func resolve(_ rewritings: [TemporaryID.Rewriting]) {
        change { layers, aliases in
            var changed: Set<RecordKey> = []
            for rewriting in rewritings {
                aliases.add(rewriting)
                changed.formUnion(layers.rewrite(rewriting))
            }
            return changed
        }
    }

    private func change(_ body: (inout Layers, inout TemporaryID.Aliases) -> Set<RecordKey>) {
        update { state in
            let changed = body(&state.layers, &state.aliases)
            return ((), changed.isEmpty ? [] : state.changed(changed))
        }
    }
}
