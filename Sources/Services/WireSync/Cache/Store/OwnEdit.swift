import WireStore

/// An edit of this process in progress: the memory changes in the step in which its commit becomes visible.
///
/// The edit is noted before its commit is visible, and applied by the first thread that sees the commit, a reader's or
/// the writer's. So no thread sees new records with old layers, or takes them for those of another process.
struct OwnEdit: Sendable {
    typealias Layers = @Sendable (inout SyncCache.State, RecordReceipt) -> Set<RecordKey>

    let receipt: RecordReceipt
    let merged: RecordWrite.Merged
    /// The watcher that is not notified.
    let watcher: Int?
    let layers: Layers
    /// The changed records, once it is applied.
    fileprivate(set) var changed: Set<RecordKey>?
    /// The resulting generation of memory.
    fileprivate var generation = 0
    /// Whether it was applied but not committed.
    fileprivate(set) var isUndone = false

    init(_ receipt: RecordReceipt, _ merged: RecordWrite.Merged, but watcher: Int?, _ layers: @escaping Layers) {
        (self.receipt, self.merged, self.watcher, self.layers) = (receipt, merged, watcher, layers)
    }

    var isSettled: Bool { changed != nil }
}

extension SyncCache.State {
    /// Notes the expected result of an edit, and replaces that of an earlier attempt of its transaction.
    mutating func foresee(_ edit: OwnEdit, _ number: Int) {
        var edit = edit
        edit.isUndone = ownEdits[number].map { $0.isSettled || $0.isUndone } ?? false
        ownEdits[number] = edit
    }

    /// Applies the own edits up to a position that directly follow the memory's position, in order.
    mutating func settle(through end: Int64) -> [SyncCache.Wake] {
        if ownEdits.isEmpty { return [] }
        let seen = ownEdits.filter { !$0.value.isSettled && $0.value.receipt.position <= end }
        var wakes: [SyncCache.Wake] = []
        for (number, edit) in seen.sorted(by: { $0.value.receipt.position < $1.value.receipt.position })
        where edit.receipt.former <= position {
            wakes += settle(number, edit)
        }
        return wakes
    }

    /// Applies a committed edit, where no edits of others precede it.
    mutating func settleNext(_ number: Int) -> (Bool, [SyncCache.Wake]) {
        guard let edit = ownEdits[number], !edit.isSettled else { return (true, []) }
        guard edit.receipt.former == position else { return (false, []) }
        return (true, settle(number, edit))
    }

    /// Ends a committed edit; returns its changes.
    mutating func end(_ number: Int) -> ((changed: Set<RecordKey>, generation: Int), [SyncCache.Wake]) {
        var wakes: [SyncCache.Wake] = []
        if let edit = ownEdits[number], !edit.isSettled { wakes = settle(number, edit) }
        let edit = ownEdits.removeValue(forKey: number)
        if edit?.isUndone == true { wakes += changeAll() }
        return ((edit?.changed ?? [], edit?.generation ?? 0), wakes)
    }

    /// Ends an edit that has failed.
    mutating func abandon(_ number: Int) -> ((), [SyncCache.Wake]) {
        guard let edit = ownEdits.removeValue(forKey: number), edit.isSettled || edit.isUndone else { return ((), []) }
        return ((), changeAll())
    }

    private mutating func settle(_ number: Int, _ edit: OwnEdit) -> [SyncCache.Wake] {
        let merged = edit.merged
        var changed = edit.layers(&self, edit.receipt).union(merged.changed)
        // The age of a list decides about the additions of layers.
        if !layers.isEmpty {
            for put in merged.puts where layers.concern(put.key, put.record) { changed.insert(put.key) }
        }
        let isNext = edit.receipt.former == position
        if isNext { position = edit.receipt.position }
        // The changed records are among those put and removed, or only in layers.
        let wakes = self.changed(changed, but: edit.watcher)
        forgetAnswers(of: merged.puts.lazy.map(\.key))
        for key in merged.removals { records.forget(key) }
        for put in merged.puts {
            recordKey(put.key, named: put.name)
            // Later changes of others are found afterwards.
            if isNext {
                records.keep(put.record, under: put.key, weighing: put.record.weight)
            } else {
                records.forget(put.key)
            }
        }
        ownEdits[number]?.changed = changed
        ownEdits[number]?.generation = generation
        return wakes
    }
}
