import { Fragment, type ReactNode, useState } from 'react'
import { countAlone } from '../../schema/helpers/emoji.ts'
import { highlight } from '../database/search/highlight.ts'
import { joinClassNames } from '../ui/styles/join-class-names.ts'
import { MarkedText } from '../ui/text/marked-text.tsx'
import { type StyledPart, splitStyles, type TextStyle } from '../ui/text/split-styles.ts'
import { findFoldPoint } from './find-fold-point.ts'
import styles from './message-text.module.css'

interface MessageTextProps {
  text: string
  /** The search query; empty without one. */
  markQuery: string
}

/** The class by the number of emoji in a text of only emoji. */
const largeClasses = [undefined, styles.oneEmoji, styles.twoEmoji, styles.threeEmoji]

/** A message's text with styles, links and highlighted search matches. */
export function MessageText({ text, markQuery }: MessageTextProps) {
  const [isWhole, setIsWhole] = useState(false)
  // A search may match any word of it.
  const foldPoint = isWhole || markQuery !== '' ? undefined : findFoldPoint(text)
  const shown = foldPoint === undefined ? text : `${text.slice(0, foldPoint)}…`
  return (
    <>
      <span className={joinClassNames(styles.text, largeClasses[countAlone(text)])}>
        {splitStyles(shown).map((part) => drawPart(part, markQuery))}
      </span>
      {foldPoint !== undefined && (
        <button type="button" className={styles.readMore} onClick={() => setIsWhole(true)}>
          Read more
        </button>
      )}
    </>
  )
}

function drawPart({ text, start, styles: wanted, href }: StyledPart, markQuery: string): ReactNode {
  const words =
    markQuery === '' ? text : <MarkedText text={text} marks={highlight(text, markQuery)} />
  const styled = wanted.reduceRight<ReactNode>(drawStyle, words)
  if (href === undefined) return <Fragment key={start}>{styled}</Fragment>
  return (
    <a key={start} href={href} target="_blank" rel="noreferrer noopener">
      {styled}
    </a>
  )
}

function drawStyle(inside: ReactNode, style: TextStyle): ReactNode {
  switch (style) {
    case 'bold':
      return <strong>{inside}</strong>
    case 'italic':
      return <em>{inside}</em>
    case 'strike':
      return <s>{inside}</s>
    case 'code':
      return <code className={styles.code}>{inside}</code>
  }
}
