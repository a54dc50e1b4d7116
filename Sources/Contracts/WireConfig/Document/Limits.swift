package import WireBase

/// The limits for reading a services file; the error for an exceeded limit names it.
package struct ReadingLimits: Sendable {
    /// The size of one file.
    package var fileSize = ByteCount.mebibytes(128)
    /// The nesting depth of collections.
    package var depth = 64
    /// The number of nodes in all files, aliases counted once.
    package var nodes = 16_000_000
    /// The number of nodes added by expanding aliases and merge keys.
    package var aliasedNodes = 100_000
    /// The length of one scalar.
    package var scalarLength = ByteCount.mebibytes(1)
    /// The depth of includes.
    package var includeDepth = 8
    /// The number of included files.
    package var includes = 256
    /// The number of environments in a file.
    package var environments = 10_000
    /// The depth of `extends` between environments.
    package var extendsDepth = 32
    /// The number of stored problems; further ones are only counted.
    package var problems = 1_000

    package init() {}
}
