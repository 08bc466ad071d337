import { Component, type ReactNode } from 'react'
import { FullScreenProblem } from '../../ui/layout/full-screen-problem.tsx'
import { productName } from '../../ui/product.ts'

interface ErrorBoundaryProps {
  /** Where the person is: who goes elsewhere leaves the failure behind. */
  place: string
  children: ReactNode
}

/** Instead of an empty page when drawing it fails, as when a part of the app can be fetched from nowhere. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { fallenAt?: string }> {
  override state: { fallenAt?: string } = {}

  static getDerivedStateFromError() {
    return { fallenAt: '' }
  }

  static getDerivedStateFromProps({ place }: ErrorBoundaryProps, state: { fallenAt?: string }) {
    if (state.fallenAt === '') return { fallenAt: place }
    return state.fallenAt === undefined || state.fallenAt === place ? null : { fallenAt: undefined }
  }

  override render() {
    if (this.state.fallenAt === undefined) return this.props.children
    return (
      <FullScreenProblem
        title="Couldn't show this page"
        text={`Your chats are safe on this device. Load ${productName} again. If that doesn't help, check your connection.`}
        actionLabel="Load again"
        onAction={() => location.reload()}
      />
    )
  }
}
