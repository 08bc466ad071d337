import { findMentions, type Mention } from '../../../schema/helpers/mentions.ts'
import { splitLinks } from './split-links.ts'

export type TextStyle = 'bold' | 'italic' | 'strike' | 'code'

export interface StyledPart {
  text: string
  /** The part's index in the whole text; a dropped marker lies between two parts. */
  start: number
  styles: readonly TextStyle[]
  /** The link's target, if the part is a web address. */
  href?: string
  /** Who is named by the part, after an @. */
  userId?: string
}

const stylesOfMarkers: Readonly<Record<string, TextStyle>> = {
  '*': 'bold',
  _: 'italic',
  '~': 'strike',
  '`': 'code',
}
const markerPattern = /[*_~`]/
const wordPattern = /[\p{L}\p{N}]/u

/** A range without markers of its own: an address, a mention, or text between backticks. */
interface Closed {
  start: number
  end: number
  href?: string
  userId?: string
}

/**
 * Splits a text at `*bold*`, `_italic_`, `~strike~`, `` `code` ``, web addresses and mentions of
 * these people. A marker
 * counts only at a word's edge and within one line; any other, as in `snake_case` or `2*3*4`, is
 * plain text.
 */
export function splitStyles(text: string, people: readonly Mention[] = []): StyledPart[] {
  if (text === '') return []
  const hasMentions = people.length > 0 && text.includes('@')
  if (!markerPattern.test(text) && !text.includes('://') && !hasMentions) {
    return [{ text, start: 0, styles: [] }]
  }
  const closed = findClosed(text)
  if (hasMentions) addMentions(closed, text, people)
  const closers = listClosers(text, closed)
  const parts: StyledPart[] = []
  let plainFrom = 0

  function push(
    start: number,
    end: number,
    styles: readonly TextStyle[],
    { href, userId }: Pick<Closed, 'href' | 'userId'> = {},
  ) {
    if (start === end) return
    const about = { ...(href && { href }), ...(userId && { userId }) }
    parts.push({ text: text.slice(start, end), start, styles, ...about })
  }

  function split(start: number, end: number, styles: readonly TextStyle[]) {
    plainFrom = start
    for (let at = start; at < end; ) {
      const whole = closed.get(at)
      const style = stylesOfMarkers[text.charAt(at)]
      const close =
        style && !styles.includes(style) && canOpen(text, at) && nextOf(closers, text, at)
      if (whole) {
        push(plainFrom, at, styles)
        const isCode = whole.href === undefined && whole.userId === undefined
        if (isCode) push(at + 1, whole.end - 1, [...styles, 'code'])
        else push(at, whole.end, styles, whole)
        at = whole.end
        plainFrom = at
      } else if (style && close && close < end) {
        push(plainFrom, at, styles)
        split(at + 1, close, [...styles, style])
        at = close + 1
        plainFrom = at
      } else at += 1
    }
    push(plainFrom, end, styles)
    plainFrom = end
  }

  split(0, text.length, [])
  return parts
}

/** Closed ranges by their start. Code takes precedence: an apparent address inside code is code. */
function findClosed(text: string): Map<number, Closed> {
  const closed = new Map<number, Closed>()
  const add = (each: Closed) => closed.set(each.start, each)
  let from = 0
  const addLinks = (end: number) => {
    let start = from
    for (const part of splitLinks(text.slice(from, end))) {
      if (part.href) add({ start, end: start + part.text.length, href: part.href })
      start += part.text.length
    }
  }
  for (let open = text.indexOf('`'); open !== -1; open = text.indexOf('`', open + 1)) {
    const close = text.indexOf('`', open + 1)
    if (close === -1) break
    const isCode =
      canOpen(text, open) && canClose(text, close) && !text.slice(open, close).includes('\n')
    if (!isCode) continue
    addLinks(open)
    add({ start: open, end: close + 1 })
    from = close + 1
    open = close
  }
  addLinks(text.length)
  return closed
}

/** In code and in an address an @ is a letter like any other. */
function addMentions(closed: Map<number, Closed>, text: string, people: readonly Mention[]) {
  const others = [...closed.values()]
  for (const { start, end, userId } of findMentions(text, people)) {
    const isInside = others.some((one) => one.start < end && start < one.end)
    if (!isInside) closed.set(start, { start, end, userId })
  }
}

/** The ascending indexes of possible closing markers, by marker. */
function listClosers(text: string, closed: ReadonlyMap<number, Closed>): Map<string, number[]> {
  const closers = new Map<string, number[]>(['*', '_', '~'].map((marker) => [marker, []]))
  for (let at = 0; at < text.length; at++) {
    const whole = closed.get(at)
    if (whole) at = whole.end - 1
    else if (canClose(text, at)) closers.get(text.charAt(at))?.push(at)
  }
  return closers
}

/** The first closing marker on the same line; undefined without one. */
function nextOf(closers: ReadonlyMap<string, number[]>, text: string, at: number) {
  const places = closers.get(text.charAt(at))
  if (!places) return undefined
  let [low, high] = [0, places.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((places[middle] ?? 0) <= at + 1) low = middle + 1
    else high = middle
  }
  const close = places[low]
  if (close === undefined) return undefined
  const lineEnd = text.indexOf('\n', at)
  return lineEnd !== -1 && lineEnd < close ? undefined : close
}

/** An opening marker is not inside a word or next to the same marker, and text follows it. */
function canOpen(text: string, at: number): boolean {
  const next = text.charAt(at + 1)
  return (
    next.trim() !== '' && next !== text.charAt(at) && isEdge(text, at, characterBefore(text, at))
  )
}

function canClose(text: string, at: number): boolean {
  const before = text.charAt(at - 1)
  if (before.trim() === '' || before === text.charAt(at)) return false
  return isEdge(text, at, String.fromCodePoint(text.codePointAt(at + 1) ?? 32))
}

function isEdge(text: string, at: number, beside: string): boolean {
  return beside !== text.charAt(at) && !wordPattern.test(beside)
}

function characterBefore(text: string, at: number): string {
  const unit = text.charCodeAt(at - 1)
  const isLowHalf = unit >= 0xdc00 && unit <= 0xdfff
  return text.slice(Math.max(0, at - (isLowHalf ? 2 : 1)), at)
}
