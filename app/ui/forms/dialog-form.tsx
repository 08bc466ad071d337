import type { FormEvent, ReactNode } from 'react'
import { Button } from '../buttons/button.tsx'
import styles from './dialog-form.module.css'
import { DialogFoot, DialogProblem } from './dialog-parts.tsx'

interface DialogFormProps {
  onSubmit(): void
  /** On the button that submits. */
  action: string
  /** On the button that leaves the form. */
  leave?: string
  onLeave(): void
  problem?: string | undefined
  /** What may help, beneath the problem. */
  remedy?: ReactNode
  isBusy?: boolean
  children: ReactNode
}

/** A dialog's form: its fields, what is wrong, and two buttons. */
export function DialogForm(props: DialogFormProps) {
  const { action, leave = 'Cancel', onLeave, problem, remedy, isBusy = false, children } = props
  function submit(event: FormEvent) {
    event.preventDefault()
    props.onSubmit()
  }
  return (
    <form className={styles.form} noValidate onSubmit={submit}>
      {children}
      {problem && <DialogProblem>{problem}</DialogProblem>}
      {remedy}
      <DialogFoot>
        <Button look="quiet" onClick={onLeave}>
          {leave}
        </Button>
        <Button type="submit" isBusy={isBusy}>
          {action}
        </Button>
      </DialogFoot>
    </form>
  )
}

/** A field of a `DialogForm`, beneath its label. */
export function DialogField({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children.
    <label className={styles.label}>
      {label}
      {children}
    </label>
  )
}

/** What a field expects. The field names its id in `aria-describedby`. */
export function DialogHint({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p id={id} className={styles.hint}>
      {children}
    </p>
  )
}
