import WireBase

// The C library's buffers and locale stay as they are: all output goes through one place, and leaves in one write.
Console.exit(with: Program.run(Array(CommandLine.arguments.dropFirst())))
