/** Letters of other alphabets that look like Latin ones. Source: UTS #39, confusables.txt. */
const lookalikes = new Map(
  Object.entries({
    а: 'a',
    е: 'e',
    о: 'o',
    р: 'p',
    с: 'c',
    у: 'y',
    х: 'x',
    ѕ: 's',
    і: 'i',
    ј: 'j',
    ԛ: 'q',
    ԝ: 'w',
    һ: 'h',
    ӏ: 'l',
    ԁ: 'd',
    α: 'a',
    ο: 'o',
    ν: 'v',
    ρ: 'p',
    υ: 'u',
    κ: 'k',
    ι: 'i',
    χ: 'x',
  }),
)

const host = /^https?:\/\/(?:[^/?#@]*@)?([^/?#:]+)/i
const latin = /\p{Script=Latin}/u
const alike = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u
const onlyAscii = /^[\x21-\x7e]*$/

export interface Disguise {
  /** The address with its real letters, as the browser asks for it. */
  real: string
  /** The host that it looks like; undefined if that is no Latin one. */
  looksLike: string | undefined
}

/**
 * A web address that looks like another one, because a part of its host mixes alphabets, or is
 * written in letters that look Latin under an ending that is. Undefined for any other.
 */
export function findDisguise(address: string): Disguise | undefined {
  if (onlyAscii.test(address) || !URL.canParse(address)) return undefined
  const written = host.exec(address)?.[1]?.normalize('NFKC').toLowerCase()
  if (!written) return undefined
  const labels = written.split('.')
  const hasLatinEnding = onlyAscii.test(labels.at(-1) ?? '')
  const isDisguised = labels.some(
    (label) =>
      alike.test(label) && (latin.test(label) || (hasLatinEnding && onlyAscii.test(unmask(label)))),
  )
  if (!isDisguised) return undefined
  const looks = unmask(written)
  return { real: new URL(address).href, looksLike: onlyAscii.test(looks) ? looks : undefined }
}

function unmask(text: string): string {
  return Array.from(text, (letter) => lookalikes.get(letter) ?? letter).join('')
}
