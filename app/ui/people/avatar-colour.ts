/** Seventeen colours that give white text a contrast of at least 4.5. */
const palette = [
  '#b3402f',
  '#a84b0c',
  '#8a5a00',
  '#66680a',
  '#3f7215',
  '#1d7740',
  '#0b7766',
  '#0a7285',
  '#1c6ba8',
  '#3f5fc0',
  '#5a53c4',
  '#7449bd',
  '#8f3fae',
  '#a83590',
  '#b5336c',
  '#6d5f58',
  '#556470',
] as const

/**
 * A colour for a name: the sum of its characters picks from the palette. Source: decision 61,
 * section 9.
 */
export function pickAvatarColour(name: string): string {
  let sum = 0
  for (const character of name) sum += character.codePointAt(0) ?? 0
  return palette[sum % palette.length] ?? palette[0]
}
