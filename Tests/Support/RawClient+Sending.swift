extension RawClient {
    /// A new connection over which these bytes have been sent.
    ///
    /// Where the machine is so busy that the other side gave up waiting for them, it is tried again.
    package static func connect(to address: Address, sending bytes: [UInt8]) async throws -> RawClient {
        for _ in 0..<20 {
            let client = try await connect(to: address)
            do {
                try await client.send(bytes)
                return client
            } catch is Failure {
                try await client.close()
            }
        }
        throw Failure(description: "every connection is closed before anything can be sent")
    }

    /// Returns when the other end has closed, however long a busy machine takes for that; false after minutes.
    package func waitForEnd() async throws -> Bool {
        for _ in 0..<20 {
            do {
                _ = try await rest()
                return true
            } catch is Failure {
                // Ten seconds without a byte, or an end that is none: the next look tells which.
                if (try? await isEnded()) ?? false { return true }
            }
        }
        return false
    }
}
