import Synchronization
package import WireConfig
package import WireStore

extension SyncCache {
    /// Shows the expected changes of a mutation, above all other data.
    ///
    /// Its owner has stored it before, and provides all layers again after a restart.
    ///
    /// It may contain temporary ids that have real ones meanwhile.
    package func show(_ layer: OptimisticLayer) {
        change { layers, aliases in layers.show(layer.resolved(aliases)) }
    }

    /// Removes a layer, which reveals the server's data.
    package func drop(_ layer: String) { change { layers, _ in layers.remove(layer) } }

    /// Replaces all layers, for example with those of another process.
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

    /// Makes the layer of a mutation from its expected answer.
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

    /// Stores the server's answer to a mutation, and ends its layer or adds to lists in the same step.
    ///
    /// List additions stay until the server returns those lists; other processes are informed of them. A rewriting
    /// replaces the temporary id everywhere: in records, layers, and later questions. Returns when it is stored.
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

    /// Removes list additions of mutations confirmed before a time; returns their layers.
    ///
    /// Called when lists of that age have expired.
    package func forgetSettled(before time: Int64) -> [String] {
        var gone: [String] = []
        change { layers, _ in
            let forgotten = layers.forgetSettled(before: time)
            gone = forgotten.layers
            return forgotten.changed
        }
        return gone
    }

    /// The replacement of a temporary id, where the real one is known.
    func rewriting(of temporary: String) -> TemporaryID.Rewriting? {
        state.withLock { $0.aliases.rewriting(of: temporary) }
    }

    /// The real id of a temporary one.
    package func real(of temporary: String) -> JSONValue? { state.withLock { $0.aliases.real(of: temporary) } }

    /// Sets the real ids known before a restart.
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
