import { Fragment, type ReactNode, useState } from 'react'
import { countAlone } from '../../schema/helpers/emoji.ts'
import type { Mention } from '../../schema/helpers/mentions.ts'
import { highlight } from '../database/search/highlight.ts'
import { Icon } from '../ui/icons/icon.tsx'
import { joinClassNames } from '../ui/styles/join-class-names.ts'
import { findDisguise } from '../ui/text/find-disguise.ts'
import { MarkedText } from '../ui/text/marked-text.tsx'
import { splitBlocks, type TextBlock } from '../ui/text/split-blocks.ts'
import { type StyledPart, splitStyles, type TextStyle } from '../ui/text/split-styles.ts'
import styles from './message-text.module.css'

const foldOver = 2_500

/** About as high on a phone as that many characters. */
const foldOverLines = 80

const wordEndWithin = 100

interface MessageTextProps {
  text: string
  /** The search query; empty without one. */
  markQuery: string
  /** The people named in the text. */
  mentions: readonly Mention[] | undefined
  ownId: string
  onMention(userId: string): void
}

/** A message's text with blocks, styles, links, mentions and highlighted search matches. */
export function MessageText(props: MessageTextProps) {
  const { text, markQuery } = props
  const [isWhole, setIsWhole] = useState(false)
  // A search may match any word of it.
  const foldPoint = isWhole || markQuery !== '' ? undefined : findFoldPoint(text)
  const shown = foldPoint === undefined ? text : `${text.slice(0, foldPoint)}…`
  const blocks = splitBlocks(shown)
  return (
    <>
      <span className={joinClassNames(styles.text, countAlone(text) > 0 && styles.fewEmoji)}>
        {blocks.map((block, at) =>
          drawBlock(block, {
            ...props,
            isOnly: blocks.length === 1,
            isLast: at === blocks.length - 1,
          }),
        )}
      </span>
      {foldPoint !== undefined && (
        <button type="button" className={styles.readMore} onClick={() => setIsWhole(true)}>
          Read more
        </button>
      )}
    </>
  )
}

interface Drawing extends Omit<MessageTextProps, 'text'> {
  isOnly: boolean
  isLast: boolean
}

function drawBlock(block: TextBlock, drawing: Drawing): ReactNode {
  const { markQuery, mentions, isOnly, isLast } = drawing
  const draw = (text: string) => splitStyles(text, mentions).map((part) => drawPart(part, drawing))
  switch (block.kind) {
    case 'text':
      // The last words stand beside the time, as in a text without blocks.
      return isOnly || isLast ? (
        <Fragment key={block.start}>{draw(block.text)}</Fragment>
      ) : (
        <span key={block.start} className={styles.lines}>
          {draw(block.text)}
        </span>
      )
    case 'code':
      return (
        <code key={block.start} className={styles.codeBlock} dir="ltr">
          {mark(block.text, markQuery)}
        </code>
      )
    case 'quote':
      return (
        <q key={block.start} className={styles.quoted}>
          {draw(block.text)}
        </q>
      )
    case 'list': {
      const List = block.items[0]?.number === undefined ? 'ul' : 'ol'
      return (
        <List key={block.start} className={styles.list}>
          {block.items.map(({ text, start, number }) => (
            <li key={start} {...(number !== undefined && { value: number })}>
              {draw(text)}
            </li>
          ))}
        </List>
      )
    }
  }
}

function mark(text: string, markQuery: string): ReactNode {
  return markQuery === '' ? text : <MarkedText text={text} marks={highlight(text, markQuery)} />
}

function drawPart(part: StyledPart, { markQuery, ownId, onMention }: Drawing): ReactNode {
  const { text, start, styles: wanted, href, userId } = part
  const disguise = href === undefined ? undefined : findDisguise(href)
  const styled = wanted.reduceRight<ReactNode>(drawStyle, mark(disguise?.real ?? text, markQuery))
  if (userId === ownId) {
    return (
      <span key={start} className={joinClassNames(styles.mention, styles.ofSelf)} dir="auto">
        {styled}
      </span>
    )
  }
  if (userId !== undefined) {
    return (
      <a
        key={start}
        className={styles.mention}
        href={`/chat/${userId}/info`}
        dir="auto"
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return
          event.preventDefault()
          onMention(userId)
        }}
      >
        {styled}
      </a>
    )
  }
  if (href === undefined) return <Fragment key={start}>{styled}</Fragment>
  return (
    <Fragment key={start}>
      <a href={href} target="_blank" rel="noreferrer noopener">
        {styled}
      </a>
      {disguise && (
        <span className={styles.warning} role="note">
          <Icon name="warning" size={14} />
          {disguise.looksLike
            ? `Careful: this isn't ${disguise.looksLike}. It uses look-alike letters.`
            : 'Careful: this address mixes alphabets.'}
        </span>
      )}
    </Fragment>
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

/**
 * Where to fold a long text: at the end of a word, never within a character; undefined for a text
 * that shows whole.
 */
export function findFoldPoint(text: string): number | undefined {
  const lineEnd = findLineEnd(text)
  if (lineEnd !== -1 && lineEnd <= foldOver) return lineEnd
  if (text.length <= foldOver) return undefined
  const wordEnd = text.slice(0, foldOver + 1).search(/\s\S*$/)
  if (wordEnd > foldOver - wordEndWithin) return wordEnd
  const unit = text.charCodeAt(foldOver)
  const isLowHalf = unit >= 0xdc00 && unit <= 0xdfff
  return isLowHalf ? foldOver - 1 : foldOver
}

/** Where the last line ends that shows folded; -1 if the text has no more lines. */
function findLineEnd(text: string): number {
  let end = -1
  for (let line = 0; line < foldOverLines; line++) {
    end = text.indexOf('\n', end + 1)
    if (end === -1) return -1
  }
  return end
}
