/** Lets bytes pass that are not stored again, because they are there. */
export async function readToEnd(bytes: AsyncIterable<Buffer>): Promise<void> {
  for await (const _piece of bytes) {
    // Nothing is done with it.
  }
}
