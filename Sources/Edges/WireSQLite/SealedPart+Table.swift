import WireStore

extension SealedPart {
    struct Row {
        let id: Int64
        /// The context that the bytes are bound to.
        let place: String
        let sealed: [UInt8]
    }

    /// The bytes, sealed with another key.
    struct Renewed: Sendable {
        let id: Int64
        let former: [UInt8]
        let sealed: [UInt8]
    }
}

extension Connection {
    /// Returns the next rows, and those sealed with a former key; no last row at the end.
    ///
    /// Rows and their bytes are limited whether sealed or not, so that no read lasts long and holds up the log.
    mutating func page(
        of table: SealedPart,
        after id: Int64,
        unless isCurrent: ([UInt8]) -> Bool
    ) throws(StoreFailure) -> (rows: [SealedPart.Row], last: Int64?) {
        var rows =
            switch table {
            case .entry:
                try statement(
                    """
                    SELECT id, namespace, key, sealed, iif(sealed, bytes, NULL) FROM entries
                    WHERE id > ? ORDER BY id LIMIT 256
                    """
                )
            case .work:
                try statement(
                    """
                    SELECT position, queue, id, sealed, iif(sealed, payload, NULL) FROM work
                    WHERE position > ? ORDER BY position LIMIT 256
                    """
                )
            case .head:
                try statement(
                    """
                    SELECT position, queue, id, sealed AND length(head) > 0, iif(sealed, head, NULL) FROM work
                    WHERE position > ? ORDER BY position LIMIT 256
                    """
                )
            case .note:
                try statement(
                    """
                    SELECT number, queue, id, length(note) > 0, note FROM done
                    WHERE number > ? ORDER BY number LIMIT 256
                    """
                )
            }
        rows.bind(id)
        var (found, last, weight) = ([SealedPart.Row](), nil as Int64?, 0)
        while weight < 1 << 20, try rows.step() {
            last = rows.integer(0)
            guard rows.flag(3) else { continue }
            let sealed = rows.bytes(4)
            weight += sealed.count
            if isCurrent(sealed) { continue }
            let place = table.place(of: rows.text(2), in: rows.text(1))
            found.append(SealedPart.Row(id: rows.integer(0), place: place, sealed: sealed))
        }
        return (found, last)
    }

    /// Replaces sealed bytes by resealed ones; returns how many.
    ///
    /// Rows changed in the meantime are skipped. Versions and the history stay: readers find the same values as
    /// before.
    mutating func replace(_ renewed: [SealedPart.Renewed], on table: SealedPart) throws(StoreFailure) -> Int {
        let before = changes
        for one in renewed {
            var row =
                switch table {
                case .entry: try statement("UPDATE entries SET bytes = ? WHERE id = ? AND sealed AND bytes = ?")
                case .work: try statement("UPDATE work SET payload = ? WHERE position = ? AND sealed AND payload = ?")
                case .head: try statement("UPDATE work SET head = ? WHERE position = ? AND sealed AND head = ?")
                case .note: try statement("UPDATE done SET note = ? WHERE number = ? AND note = ?")
                }
            row.bind(one.sealed)
            row.bind(one.id)
            row.bind(one.former)
            try row.run()
        }
        return Int(changes - before)
    }
}
