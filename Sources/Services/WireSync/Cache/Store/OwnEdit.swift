import WireStore

/// An edit of this process that is under way: what memory becomes in the step in which its commit is seen.
///
/// It is known from before its commit can be seen, and taken over by whichever thread comes first, that of a reader or that of
/// the writer. So none sees new records with former layers, and none takes them for those of another process.
struct OwnEdit: Sendable {
    typealias Layers = @Sendable (inout SyncCache.State, RecordReceipt) -> Set<RecordKey>

    let receipt: RecordReceipt
    let merged: RecordWrite.Merged
    /// The watcher that is not woken.
    let watcher: Int?
    let layers: Layers
    /// What was changed by it, once it is taken over.
    fileprivate(set) var changed: Set<RecordKey>?
    /// The generation of memory to which it has led.
    fileprivate var generation = 0
    /// Whether it was taken over, and was not committed after all.
    fileprivate(set) var isUndone = false

    init(_ receipt: RecordReceipt, _ merged: RecordWrite.Merged, but watcher: Int?, _ layers: @escaping Layers) {
        (self.receipt, self.merged, self.watcher, self.layers) = (receipt, merged, watcher, layers)
    }

    var isSettled: Bool { changed != nil }
}

extension SyncCache.State {
    /// Notes where an edit leads, in place of what was noted before its transaction had to be begun again.
    mutating func foresee(_ edit: OwnEdit, _ number: Int) {
        var edit = edit
        edit.isUndone = own[number].map { $0.isSettled || $0.isUndone } ?? false
        own[number] = edit
    }

    /// Takes over the own edits up to a position that follow from what memory is right for, in order.
    mutating func settle(through end: Int64) -> [SyncCache.Wake] {
        if own.isEmpty { return [] }
        let seen = own.filter { !$0.value.isSettled && $0.value.receipt.position <= end }
        var wakes: [SyncCache.Wake] = []
        for (number, edit) in seen.sorted(by: { $0.value.receipt.position < $1.value.receipt.position })
        where edit.receipt.former <= position {
            wakes += settle(number, edit)
        }
        return wakes
    }

    /// Takes over an edit that was committed, where nothing of others has to be taken over before it.
    mutating func settleNext(_ number: Int) -> (Bool, [SyncCache.Wake]) {
        guard let edit = own[number], !edit.isSettled else { return (true, []) }
        guard edit.receipt.former == position else { return (false, []) }
        return (true, settle(number, edit))
    }

    /// Ends an edit that was committed; returns what it has changed.
    mutating func end(_ number: Int) -> ((changed: Set<RecordKey>, generation: Int), [SyncCache.Wake]) {
        var wakes: [SyncCache.Wake] = []
        if let edit = own[number], !edit.isSettled { wakes = settle(number, edit) }
        let edit = own.removeValue(forKey: number)
        if edit?.isUndone == true { wakes += changeAll() }
        return ((edit?.changed ?? [], edit?.generation ?? 0), wakes)
    }

    /// Ends an edit that has failed.
    mutating func abandon(_ number: Int) -> ((), [SyncCache.Wake]) {
        guard let edit = own.removeValue(forKey: number), edit.isSettled || edit.isUndone else { return ((), []) }
        return ((), changeAll())
    }

    private mutating func settle(_ number: Int, _ edit: OwnEdit) -> [SyncCache.Wake] {
        let merged = edit.merged
        var changed = edit.layers(&self, edit.receipt).union(merged.changed)
        // How old a list is decides what a layer adds to it.
        if !layers.isEmpty {
            for put in merged.puts where layers.concern(put.key, put.record) { changed.insert(put.key) }
        }
        let isNext = edit.receipt.former == position
        if isNext { position = edit.receipt.position }
        // The records that are changed are among those that are put and removed, or seen through layers alone.
        let wakes = self.changed(changed, but: edit.watcher)
        forgetAnswers(of: merged.puts.lazy.map(\.key))
        for key in merged.removals { records.forget(key) }
        for put in merged.puts {
            note(put.key, named: put.name)
            // Where others have written after it, what they have changed is found later.
            if isNext {
                records.keep(put.record, under: put.key, weighing: put.record.weight)
            } else {
                records.forget(put.key)
            }
        }
        own[number]?.changed = changed
        own[number]?.generation = generation
        return wakes
    }
}
