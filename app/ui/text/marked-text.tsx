import styles from './marked-text.module.css'

/** A range of a text, as UTF-16 indexes. Marks are in order and do not overlap. */
export interface TextMark {
  start: number
  end: number
}

interface MarkedTextProps {
  text: string
  marks: readonly TextMark[]
}

/** A text with the search matches highlighted. */
export function MarkedText({ text, marks }: MarkedTextProps) {
  return splitAtMarks(text, marks).map(({ start, part, isMarked }) =>
    isMarked ? (
      <mark key={start} className={styles.mark}>
        {part}
      </mark>
    ) : (
      part
    ),
  )
}

function splitAtMarks(text: string, marks: readonly TextMark[]) {
  const parts: { start: number; part: string; isMarked: boolean }[] = []
  let end = 0
  for (const mark of marks) {
    parts.push({ start: end, part: text.slice(end, mark.start), isMarked: false })
    parts.push({ start: mark.start, part: text.slice(mark.start, mark.end), isMarked: true })
    end = mark.end
  }
  parts.push({ start: end, part: text.slice(end), isMarked: false })
  return parts.filter(({ part }) => part !== '')
}
