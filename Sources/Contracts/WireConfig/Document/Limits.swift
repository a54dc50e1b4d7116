package import WireBase

/// How much a services file may ask of the reader; past one of these the answer is an error that names it.
package struct ReadingLimits: Sendable {
    /// The size of one file.
    package var fileSize = ByteCount.mebibytes(128)
    /// Collections inside collections.
    package var depth = 64
    /// Nodes of all files together, aliases counted once.
    package var nodes = 16_000_000
    /// Nodes that aliases and merge keys would add if they were written out.
    package var aliasedNodes = 100_000
    /// The length of one scalar.
    package var scalarLength = ByteCount.mebibytes(1)
    /// Files that include files.
    package var includeDepth = 8
    /// Files in all.
    package var includes = 256
    /// Environments of a file.
    package var environments = 10_000
    /// Environments that extend environments.
    package var extendsDepth = 32
    /// Problems kept; those beyond are counted.
    package var problems = 1_000

    package init() {}
}
