export interface TypedShortcode {
  /** The text after the colon. */
  name: string
  /** From the colon to the cursor, in UTF-16 units. */
  start: number
  end: number
  /** Does a second colon close it? */
  isClosed: boolean
}

const openName = /(?:^|[\s(])(:([a-z0-9_+-]{2,40})(:?))$/i

/** The short name typed before the cursor, such as `:smile`; not a time such as 10:30. */
export function findShortcode(text: string, cursor: number): TypedShortcode | undefined {
  const found = openName.exec(text.slice(0, cursor))
  const [, whole, name, colon] = found ?? []
  if (whole === undefined || name === undefined) return undefined
  return {
    name: name.toLowerCase(),
    start: cursor - whole.length,
    end: cursor,
    isClosed: colon === ':',
  }
}
