/**
 * Writes items in their order, one write at a time: whatever comes during one goes together with the next. So on a slow
 * line each is written as it comes, and on a quick one many wait for the disk once.
 * @param options.most that many wait for a write at the most: no more are taken meanwhile
 * @throws what `items` or `write` throws, once no write is under way any more
 */
export async function writeInGroups<Item>(options: {
  items: AsyncIterable<Item>
  most: number
  write: (group: readonly Item[]) => Promise<void>
}): Promise<void> {
  const { items, most, write } = options
  const waiting: Item[] = []
  let writing: Promise<void> | undefined
  let failure: { cause: unknown } | undefined

  async function writeWaiting() {
    try {
      await write(waiting.splice(0))
    } catch (cause) {
      failure = { cause }
    }
    writing = waiting.length > 0 && !failure ? writeWaiting() : undefined
  }

  try {
    for await (const item of items) {
      waiting.push(item)
      writing ??= writeWaiting()
      if (waiting.length >= most) await writing
      if (failure) throw failure.cause
    }
  } catch (error) {
    waiting.splice(0)
    throw error
  } finally {
    while (writing !== undefined) await writing
  }
  if (failure) throw failure.cause
}
