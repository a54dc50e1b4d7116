import WireBase
import WireStore

extension SQLiteStore {
    func check(name: String, _ what: String) throws(StoreFailure) {
        try check(name, what, limits.nameSize.bytes)
    }

    func check(key: String, _ what: String) throws(StoreFailure) {
        try check(key, what, limits.keySize.bytes)
    }

    private func check(_ text: String, _ what: String, _ limit: Int) throws(StoreFailure) {
        let size = text.utf8.count
        guard size == 0 || size > limit else { return }
        throw StoreFailure(.refused, "expected a \(what) of 1 to \(limit) bytes, found \(size)")
    }

    func check(size: Int, _ what: String) throws(StoreFailure) {
        guard size > limits.valueSize.bytes else { return }
        throw StoreFailure(.full, "a \(what) may have \(limits.valueSize) at most, found \(size) bytes", limit: .value)
    }
}
