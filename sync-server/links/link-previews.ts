import http from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import { limits } from '../../schema/limits.ts'
import type { FetchedLink } from '../../schema/link-preview.ts'
import { createPublicLookUp, isPublicAddress } from '../lib/public-address.ts'

/** A longer tag says nothing that is shown. */
const tagMaxLength = 8_192

const named: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', hellip: '…', middot: '·' },
  ...{ ndash: '–', mdash: '—', lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', bull: '•' },
}

const pictureTypes = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif'] as const

/** The operator's setting: no previews, those of public pages, or those of some hosts inside their network, too. */
export const linkPreviewsForm = /^(?:off|on(?: [\w.-]+:\d{1,5}){0,20})$/

export const linkPreviewsWords =
  'must be "on", "off", or "on" and hosts in your own network, such as "on intranet:8080"'

export interface LinkPreviews {
  /** What the page says of itself, with its picture as it is there. Never throws for what the page does. */
  read(url: string, signal: AbortSignal): Promise<FetchedLink['page']>
}

/** @param setting of the operator, as `linkPreviewsForm` has it */
export function createLinkPreviews(setting: string): LinkPreviews {
  const { redirectsMax, pageMaxBytes, fetchMs } = limits.linkPreview
  const [choice, ...insideHosts] = setting.split(' ')
  if (choice === 'off') return { read: async () => null }
  const fetchBounded = createBoundedFetch({ insideHosts, redirectsMax })
  return {
    async read(address, caller) {
      if (!URL.canParse(address)) return null
      const signal = AbortSignal.any([caller, AbortSignal.timeout(fetchMs)])
      const page = await fetchBounded({
        url: new URL(address),
        accept: ['text/html', 'application/xhtml+xml'],
        maxBytes: pageMaxBytes,
        takesBeginning: true,
        signal,
      })
      const words = page && readPage(page.bytes, page.contentType)
      if (!words) return null
      const { pictureUrl, ...said } = words
      const picture =
        pictureUrl !== undefined && URL.canParse(pictureUrl, page.url.href)
          ? await readPicture(new URL(pictureUrl, page.url), { fetchBounded, signal })
          : undefined
      return { ...said, ...(picture !== undefined && { picture }) }
    },
  }
}

/** As a data URL: the device that asked makes it small. */
async function readPicture(
  url: URL,
  { fetchBounded, signal }: { fetchBounded: FetchBounded; signal: AbortSignal },
): Promise<string | undefined> {
  const maxBytes = limits.linkPreview.pictureMaxBytes
  const picture = await fetchBounded({
    url,
    accept: pictureTypes,
    maxBytes,
    takesBeginning: false,
    signal,
  })
  const type = pictureTypes.find((one) => picture?.contentType.toLowerCase().startsWith(one))
  if (!picture || !type || picture.bytes.length === 0) return undefined
  return `data:${type};base64,${picture.bytes.toString('base64')}`
}

/** What an address led to: at most `maxBytes` of it. */
interface Fetched {
  /** Where the last redirect led. */
  url: URL
  contentType: string
  bytes: Buffer
}

interface Wanted {
  url: URL
  /** The media types that are read, as they begin. */
  accept: readonly string[]
  maxBytes: number
  /** Is the beginning enough? Otherwise something longer counts as nothing. */
  takesBeginning: boolean
  signal: AbortSignal
}

type FetchBounded = ReturnType<typeof createBoundedFetch>

/**
 * Fetches addresses that anybody may have given: over HTTP and HTTPS on their own ports, from public machines alone,
 * each redirect checked like the first address, without cookies or a word about who asks, in limited time and size.
 * @param insideHosts `host:port` inside the operator's own network, which may be fetched all the same
 */
export function createBoundedFetch(options: {
  insideHosts: readonly string[]
  redirectsMax: number
  /** Name servers for tests. */
  nameServers?: readonly string[]
}) {
  const { insideHosts, redirectsMax } = options
  const lookup = createPublicLookUp(options.nameServers)
  const isInside = ({ hostname, port, protocol }: URL) =>
    insideHosts.includes(`${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`)

  /** May the server go there? A name is checked once more when it is looked up, for that connection. */
  function mayFetch(url: URL): boolean {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return false
    if (url.username !== '' || url.password !== '') return false
    if (isInside(url)) return true
    // No name is looked up for an address in numbers.
    const host = url.hostname.replace(/^\[|\]$/g, '')
    return url.port === '' && (isIP(host) === 0 || isPublicAddress(host))
  }

  /** @throws when the line breaks, or the signal ends it */
  function ask({ url, accept, maxBytes, takesBeginning, signal }: Wanted): Promise<Answer> {
    const { request } = url.protocol === 'https:' ? https : http
    return new Promise((resolve, reject) => {
      const asking = request(
        url,
        {
          // No connection is kept, so none is taken over whose address was checked for another name.
          agent: false,
          signal,
          headers: {
            accept: accept.join(', '),
            'accept-encoding': 'identity',
            'user-agent': 'Petrel (link preview)',
          },
          ...(!isInside(url) && { lookup }),
        },
        (response) => {
          response.on('error', reject)
          const give = (answer: Answer) => {
            resolve(answer)
            response.destroy()
          }
          const { statusCode = 0, headers } = response
          const { location, 'content-type': contentType = '' } = headers
          if (statusCode >= 300 && statusCode < 400 && location !== undefined) {
            return give({ kind: 'elsewhere', location })
          }
          const isWanted = accept.some((type) => contentType.toLowerCase().startsWith(type))
          if (statusCode !== 200 || !isWanted) return give({ kind: 'nothing' })
          const pieces: Uint8Array[] = []
          let length = 0
          response.on('data', (piece: Buffer) => {
            pieces.push(new Uint8Array(piece))
            length += piece.length
            if (length <= maxBytes) return
            if (!takesBeginning) return give({ kind: 'nothing' })
            give(here(Buffer.concat(pieces).subarray(0, maxBytes)))
          })
          response.on('end', () => give(here(Buffer.concat(pieces))))
          const here = (bytes: Buffer): Answer => ({
            kind: 'here',
            fetched: { url, contentType, bytes },
          })
        },
      )
      asking.on('error', reject)
      asking.end()
    })
  }

  /** Undefined for what is not there, not wanted, not allowed, or too slow. */
  return async (wanted: Wanted): Promise<Fetched | undefined> => {
    let { url } = wanted
    for (let left = redirectsMax; mayFetch(url); left -= 1) {
      const answer = await ask({ ...wanted, url }).catch(() => undefined)
      if (answer?.kind === 'here') return answer.fetched
      if (answer?.kind !== 'elsewhere' || left === 0) return undefined
      if (!URL.canParse(answer.location, url.href)) return undefined
      url = new URL(answer.location, url)
    }
    return undefined
  }
}

type Answer =
  | { kind: 'here'; fetched: Fetched }
  | { kind: 'elsewhere'; location: string }
  | { kind: 'nothing' }

/** What a page says of itself. `pictureUrl`: as it stands there, perhaps relative. */
interface PageWords {
  title: string
  description?: string
  pictureUrl?: string
}

/** Reads a page's title, description and picture from its head; undefined without a title. */
export function readPage(bytes: Buffer, contentType: string): PageWords | undefined {
  const html = decode(bytes, contentType)
  const metas = readMetas(html)
  const { titleMaxLength, descriptionMaxLength } = limits.linkPreview
  const title = tidy(metas.get('og:title') ?? readTitle(html), titleMaxLength)
  if (title === '') return undefined
  const told = metas.get('og:description') ?? metas.get('description') ?? ''
  const description = tidy(told, descriptionMaxLength)
  const pictureUrl = metas.get('og:image') ?? metas.get('twitter:image')
  return {
    title,
    ...(description !== '' && { description }),
    ...(pictureUrl && { pictureUrl: pictureUrl.trim() }),
  }
}

function decode(bytes: Buffer, contentType: string): string {
  const head = bytes.subarray(0, 2_048).toString('latin1')
  const said = /charset=["']?([\w-]+)/i.exec(contentType) ?? /charset=["']?([\w-]+)/i.exec(head)
  try {
    return new TextDecoder(said?.[1] ?? 'utf-8').decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

/** By their name or property, in small letters; the first of each counts. */
function readMetas(html: string): Map<string, string> {
  const metas = new Map<string, string>()
  for (let at = find(html, '<meta', 0); at >= 0; at = find(html, '<meta', at + 5)) {
    const end = html.indexOf('>', at)
    if (end < 0) break
    if (end - at > tagMaxLength) continue
    const fields = readFields(html.slice(at + 5, end))
    const name = (fields.get('property') ?? fields.get('name'))?.toLowerCase()
    const content = fields.get('content')
    if (name && content && !metas.has(name)) metas.set(name, content)
  }
  return metas
}

function find(html: string, tag: string, from: number): number {
  const [small, large] = [html.indexOf(tag, from), html.indexOf(tag.toUpperCase(), from)]
  return small < 0 || large < 0 ? Math.max(small, large) : Math.min(small, large)
}

function readFields(tag: string): Map<string, string> {
  const fields = new Map<string, string>()
  for (const [, name = '', double, single, bare] of tag.matchAll(
    /([\w:-]{1,40})\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g,
  )) {
    fields.set(name.toLowerCase(), readEntities(double ?? single ?? bare ?? ''))
  }
  return fields
}

function readTitle(html: string): string {
  const start = find(html, '<title', 0)
  const open = start < 0 ? -1 : html.indexOf('>', start)
  const end = open < 0 ? -1 : find(html, '</title', open)
  return end < 0 ? '' : readEntities(html.slice(open + 1, Math.min(end, open + tagMaxLength)))
}

function readEntities(text: string): string {
  return text.replace(/&(#x?[\da-f]{1,6}|[a-z]{2,8});/gi, (whole, code: string) => {
    if (!code.startsWith('#')) return named[code.toLowerCase()] ?? whole
    const isHex = code[1]?.toLowerCase() === 'x'
    const point = Number.parseInt(code.slice(isHex ? 2 : 1), isHex ? 16 : 10)
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : ''
  })
}

/** In one line, without signs that steer how text is drawn, cut where it is too long. */
function tidy(text: string, maxLength: number): string {
  const line = text
    .replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  if (line.length <= maxLength) return line
  const cut = line.slice(0, maxLength - 1)
  // Half of a character in two parts is none.
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`
}
