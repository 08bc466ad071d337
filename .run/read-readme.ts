import { readFileSync } from 'node:fs'
import { top } from './project.mjs'

export const readme = readFileSync(`${top}README.md`, 'utf8')

/** The lines under one of the README's headings. */
export function readSection(title: string): string[] {
  const [, section = ''] = readme.split(`\n## ${title}\n`)
  return (section.split('\n## ')[0] ?? '').split('\n')
}
