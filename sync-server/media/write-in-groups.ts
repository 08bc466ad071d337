/**
 * Writes items in order, one write at a time; items that arrive during one go together with the
 * next. So a slow line writes each at once, and a fast one groups them.
 * @param options.most how many may wait at most; takes no more meanwhile
 * @throws whatever `items` or `write` throws, once no write is running
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
