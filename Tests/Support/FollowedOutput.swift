package import Foundation

extension Pipe {
    /// Reads what a program writes until its end, which is empty, on a thread of its own.
    ///
    /// The handler of a file handle would do so too, but its end races with the end of the handle, and the process crashes.
    package func follow(_ take: @escaping @Sendable (Data) -> Void) {
        let handle = fileHandleForReading
        Thread.detachNewThread {
            var data: Data
            repeat {
                data = handle.availableData
                take(data)
            } while !data.isEmpty
        }
    }
}
