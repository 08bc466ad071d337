/** Discards bytes that are stored already. */
export async function readToEnd(bytes: AsyncIterable<Buffer>): Promise<void> {
  for await (const _piece of bytes) {
    // Nothing is done with it.
  }
}
